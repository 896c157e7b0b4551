import { Agent, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type MeasuredServer, startMeasuredServer } from '#tests/support/measured-server.ts';
import { type OpenStore, stores } from '#tests/support/stores.ts';

/** Many simultaneous uploads: bodies are streamed to the store and never held in memory as a whole. */
const LONG = process.env['TEST_LONG'] !== undefined;
const SENDERS = LONG ? 100 : 40;
const SIZE = 10_485_760;
/**
 * Limits the memory for bodies that are between the sender and the store at one moment. It is far below the 400 or 1,000 MB that are sent,
 * and the same for both.
 */
const MEMORY_MAX = 192 * 1024 * 1024;
const MULTIPART = 'a-boundary-of-ours';

describe.each(stores)(`${SENDERS} uploads at once, files on $name`, (store) => {
  let opened: OpenStore;
  let server: MeasuredServer;
  beforeAll(async () => {
    opened = await store.open();
    server = await startMeasuredServer(opened.env);
    await server.service.storage.createBucket('large', { public: true });
    await server.service.storage.from('large').upload('first', 'x');
  }, 120_000);
  afterAll(async () => {
    await server.close();
    await opened.close();
  });

  test.each(['raw', 'form'] as const)('as a %s body, in constant memory', { timeout: 600_000 }, async (kind) => {
    const agent = new Agent({ keepAlive: true, maxSockets: SENDERS });
    const piece = Buffer.alloc(65_536, 'some of it ');
    const key = server.serviceRoleKey;
    const before = await server.usedMemory();
    let highest = before;
    let sending = true;
    const watching = (async () => {
      while (sending) {
        highest = Math.max(highest, await server.usedMemory(before + MEMORY_MAX));
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
    })();
    const statuses = await Promise.all(
      Array.from({ length: SENDERS }, (_, index) =>
        send(`${server.url}/storage/v1/object/large/${index}`, key, kind, piece, agent),
      ),
    );
    sending = false;
    await watching;
    agent.destroy();
    expect(statuses.filter((status) => status !== 200)).toEqual([]);
    const info = await server.service.storage.from('large').info('3');
    expect(info.data?.size).toBe(SIZE);
    expect(Math.round((highest - before) / 1_048_576)).toBeLessThan(MEMORY_MAX / 1_048_576);
  });
});

/** Sends SIZE bytes as fast as they are accepted. Returns the status. */
function send(url: string, key: string, kind: 'raw' | 'form', piece: Buffer, agent: Agent): Promise<number> {
  const head = `--${MULTIPART}\r\nContent-Disposition: form-data; name="cacheControl"\r\n\r\n60\r\n--${MULTIPART}\r\nContent-Disposition: form-data; name=""; filename="blob"\r\nContent-Type: text/plain\r\n\r\n`;
  const tail = `\r\n--${MULTIPART}--\r\n`;
  const [before, after] = kind === 'form' ? [head, tail] : ['', ''];
  return new Promise((resolve, reject) => {
    const sending = request(
      url,
      {
        agent,
        method: 'POST',
        headers: {
          authorization: `Bearer ${key}`,
          'x-upsert': 'true',
          'content-type': kind === 'form' ? `multipart/form-data; boundary=${MULTIPART}` : 'text/plain',
          'content-length': SIZE + before.length + after.length,
        },
      },
      (answer) => {
        answer.resume();
        answer.on('end', () => resolve(answer.statusCode ?? 0));
      },
    );
    sending.on('error', reject);
    if (before !== '') sending.write(before);
    let remaining = SIZE;
    const more = (): void => {
      while (remaining > 0) {
        const part = piece.subarray(0, Math.min(remaining, piece.length));
        remaining -= part.length;
        if (!sending.write(part)) return void sending.once('drain', more);
      }
      sending.end(after);
    };
    more();
  });
}
