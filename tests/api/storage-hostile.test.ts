import { readdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Hostile, hostileFiles, MARK } from '#tests/support/files/hostile-files.ts';
import { type MeasuredServer, startMeasuredServer } from '#tests/support/measured-server.ts';

/** Two hundred hostile files are uploaded and rendered: none crashes the server, hidden content is not served, and memory is limited. */
const LONG = process.env['TEST_LONG'] !== undefined;
const SAMPLE = 40;
const MEMORY_MAX = 64 * 1024 * 1024;

describe('hostile files', () => {
  let server: MeasuredServer;
  let files: Hostile[];
  let beacon: { url: string; requests: string[]; close: () => void };

  beforeAll(async () => {
    server = await startMeasuredServer();
    await server.service.storage.createBucket('anything', { public: true });
    beacon = await startBeacon();
    const all = await hostileFiles(beacon.url);
    expect(all.length).toBeGreaterThanOrEqual(200);
    files = LONG ? all : all.filter((_, index) => index % Math.floor(all.length / SAMPLE) === 0);
  }, 120_000);
  afterAll(async () => {
    beacon.close();
    await server.close();
  });

  test('through upload and rendering', { timeout: 1_200_000 }, async () => {
    const own = server.person.client.storage.from('id-verifications');
    const shown = server.service.storage.from('anything');
    const uploaded: string[] = [];
    // A valid picture is uploaded first, so that everything is loaded before memory is measured.
    await own.upload(`${server.person.id}/first.jpg`, await sharp(BLANK).jpeg().toBuffer(), {
      contentType: 'image/jpeg',
    });
    const before = await server.usedMemory();
    let highest = before;
    for (const [index, { name, make }] of files.entries()) {
      const bytes = await make();
      const path = `${server.person.id}/${index}.jpg`;
      const { error } = await own.upload(path, bytes, { contentType: 'image/jpeg' });
      // The answer is either a refusal in the format of the protocol, or a picture that we re-encoded.
      if (error) expect([name, error]).toEqual([name, refusal]);
      else uploaded.push(path);
      expect((await shown.upload(`${index}.jpg`, bytes, { contentType: 'image/jpeg' })).error).toBeNull();
      const small = await shown.download(`${index}.jpg`, { transform: { width: 64, height: 64 } });
      if (small.data) {
        const { width, height } = await sharp(Buffer.from(await small.data.arrayBuffer())).metadata();
        expect([name, width <= 64, height <= 64]).toEqual([name, true, true]);
      }
      highest = Math.max(highest, await server.usedMemory());
    }
    expect(uploaded.length).toBeGreaterThan(0);
    expect(uploaded.length).toBeLessThan(files.length);
    // The bucket for documents contains only JPEGs that hold nothing besides their pixels.
    for (const path of uploaded) {
      const { data } = await own.download(path);
      const bytes = Buffer.from((await data?.arrayBuffer()) ?? new ArrayBuffer());
      const { format, exif, icc, xmp, iptc, pages } = await sharp(bytes).metadata();
      expect([path, format, exif, icc, xmp, iptc, pages ?? 1]).toEqual([
        path,
        'jpeg',
        undefined,
        undefined,
        undefined,
        undefined,
        1,
      ]);
      for (const word of [MARK, '<script', '<?php', '%PDF', 'PK\u0003\u0004']) expect(bytes.includes(word)).toBe(false);
    }
    const names = await readdir(join(server.dataDir, 'objects', 'objects'));
    expect(names.every((name) => /^[0-9a-f-]{36}$/.test(name))).toBe(true);
    expect([beacon.requests, /storage request failed|nobody caught/.exec(server.output())]).toEqual([[], null]);
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    expect(highest - before).toBeLessThan(MEMORY_MAX);
  });

  test('stored files never run in our origin', async () => {
    const bucket = server.service.storage.from('anything');
    const active = [
      'text/html',
      'image/svg+xml',
      'application/xhtml+xml',
      'text/xml',
      'application/xml',
      'text/javascript',
      'application/pdf',
      'image/jpeg; x',
      'text/html;charset=x',
      'IMAGE/SVG+XML',
    ];
    for (const [index, type] of active.entries()) {
      await bucket.upload(`active/${index}`, '<script>1</script>', { contentType: type });
      const { headers } = await fetch(`${server.url}/storage/v1/object/public/anything/active/${index}`);
      expect([headers.get('content-type'), headers.get('content-disposition')?.split(';')[0]]).toEqual([
        type,
        type.startsWith('image/jpeg') ? 'inline' : 'attachment',
      ]);
      expect([headers.get('content-security-policy'), headers.get('x-content-type-options')]).toEqual([
        "default-src 'none'; sandbox",
        'nosniff',
      ]);
    }
  });
});

const BLANK = { create: { width: 9, height: 9, channels: 3, background: '#fff' } } as const;
const refusal: unknown = expect.objectContaining({ statusCode: expect.stringMatching(/^4\d\d$/) });

async function startBeacon(): Promise<{ url: string; requests: string[]; close: () => void }> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(request.url ?? '');
    response.end('x');
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  // Cast: a TCP server has an AddressInfo once it listens.
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests, close: () => server.close() };
}
