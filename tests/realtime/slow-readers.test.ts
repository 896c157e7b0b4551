import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RawData, WebSocket } from 'ws';
import { startTestServer, type TestServer } from '#tests/support/test-server.ts';
import { connectRealtime } from './client.ts';

const UNSENT_MAX = 1_000_000;
const MESSAGES = 400;
const BYTES = 100_000;

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({
    env: {
      REALTIME_MAX_UNSENT_BYTES: String(UNSENT_MAX),
      REALTIME_MESSAGES_PER_SECOND: '10000',
      REALTIME_ACCOUNT_MESSAGES_PER_SECOND: '10000',
    },
  });
});
afterAll(() => server.close());

test('a client that does not read is cut off with 1013, and the others get everything', async () => {
  const key = server.app.keys.anonKey;
  const [sender, reader] = [await connectRealtime(server.url, key), await connectRealtime(server.url, key, '1.0.0')];
  const slow = new WebSocket(`${server.url.replace(/^http/, 'ws')}/realtime/v1/websocket?apikey=${key}&vsn=1.0.0`);
  let received = 0;
  slow.on('message', (data: RawData) => void (received += getSize(data)));
  const closed = new Promise<number>((resolve) => slow.once('close', resolve));
  await new Promise((resolve) => slow.once('open', resolve));
  slow.send(JSON.stringify({ topic: 'realtime:flood', event: 'phx_join', payload: {}, ref: '1', join_ref: '1' }));
  await new Promise((resolve) => slow.once('message', resolve));
  slow.pause();
  // Only a signed-in socket may send frames of this size.
  const token = server.app.keys.serviceRoleKey;
  await Promise.all([sender.join('flood', { broadcast: { ack: true } }, token), reader.join('flood')]);
  const text = 'x'.repeat(BYTES);
  for (let n = 0; n < MESSAGES; n += 1) {
    const ref = `push-${n}`;
    sender.send('1', ref, 'realtime:flood', 'broadcast', { type: 'broadcast', event: 'n', payload: { n, text } });
    await sender.frame((frame) => frame.ref === ref);
  }
  const numbers = (): unknown[] =>
    reader.frames.flatMap(({ event, payload }) => (event === 'broadcast' ? [Object(payload['payload'])['n']] : []));
  await expect.poll(() => numbers().length, { timeout: 20_000 }).toBe(MESSAGES);
  expect(numbers()).toEqual(Array.from({ length: MESSAGES }, (_, n) => n));
  slow.resume();
  expect(await closed).toBe(1013);
  // Only the data already in the buffers of both machines was received.
  expect(received).toBeLessThan((MESSAGES * BYTES) / 2);
  sender.close();
  reader.close();
});

const getSize = (data: RawData): number =>
  Array.isArray(data)
    ? data.reduce((sum, part) => sum + part.length, 0)
    : data instanceof ArrayBuffer
      ? data.byteLength
      : data.length;
