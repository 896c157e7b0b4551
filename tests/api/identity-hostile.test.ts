import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hostileFiles } from '#tests/support/files/hostile-files.ts';
import { type MeasuredServer, startMeasuredServer } from '#tests/support/measured-server.ts';

/** Hostile files as photos of a licence: each is refused or gets a normal answer, and the server keeps running. */
const LONG = process.env['TEST_LONG'] !== undefined;
const SAMPLE = 24;
const MEMORY_MAX = 64 * 1024 * 1024;
/** No server listens at this address, and none of the files may cause a request. */
const NOWHERE = 'http://127.0.0.1:9';
/** These files are always in the sample: they would decompress or scale to more memory than a process can have. */
const HEAVY = /^jpeg of|million pixels|16 bits|65535 by 65535|profile bomb/;

describe('hostile licence photos', () => {
  let server: MeasuredServer;
  beforeAll(async () => {
    server = await startMeasuredServer();
  }, 120_000);
  afterAll(() => server.close());

  const show = async (bytes: Buffer) => {
    const response = await fetch(`${server.url}/functions/v1/verify-id`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.person.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ idImage: `data:image/jpeg;base64,${bytes.toString('base64')}` }),
    });
    const body: { error?: { code: string }; decision?: string } = JSON.parse(await response.text());
    return { status: response.status, result: body.error?.code ?? body.decision };
  };

  test('are refused or fail, one after the other', { timeout: 1_200_000 }, async () => {
    const all = await hostileFiles(NOWHERE);
    const every = LONG ? 1 : Math.floor(all.length / SAMPLE);
    const files = all.filter(({ name }, index) => HEAVY.test(name) || index % every === 0);
    // A valid picture is read first, so that the reader is loaded before memory is measured.
    const blank = { create: { width: 900, height: 600, channels: 3, background: '#fff' } } as const;
    expect(await show(await sharp(blank).jpeg().toBuffer())).toMatchObject({ status: 200 });
    const before = await server.usedMemory();
    let highest = before;
    let refused = 0;
    for (const { name, make } of files) {
      const { status, result } = await show(await make());
      expect([name, status, result]).toBeOneOf([
        [name, 422, 'image_refused'],
        [name, 400, 'invalid_request'],
        [name, 200, 'failed'],
        [name, 200, 'review'],
      ]);
      if (status === 422) refused += 1;
      highest = Math.max(highest, await server.usedMemory());
    }
    expect(refused).toBeGreaterThan(0);
    expect(/a function failed|nobody caught/.exec(server.output())).toBeNull();
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    expect(highest - before).toBeLessThan(MEMORY_MAX);
  });
});
