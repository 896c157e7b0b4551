import { afterAll, beforeAll, expect, test } from 'vitest';
import { type MeasuredServer, startMeasuredServer } from '#tests/support/measured-server.ts';
import { firstStatuses, sendUnfinished } from './raw-request.ts';

/** An attack that once stopped the server for 23.7 s and used 3 GB: 24 pictures of 14 MB, posted with the public key. */
const POSTS = 24;
const MEGABYTE = 1024 * 1024;
const PICTURE = JSON.stringify({ idImage: `data:image/jpeg;base64,${'A'.repeat(14 * 1000 * 1000)}` });

let server: MeasuredServer;
beforeAll(async () => {
  server = await startMeasuredServer({ RATE_LIMIT_FACTOR: '1' });
}, 120_000);
afterAll(() => server.close());

const createHeaders = (token: string): Record<string, string> => ({
  apikey: server.anonKey,
  authorization: `Bearer ${token}`,
  'content-type': 'application/json',
});
const post = async (token: string): Promise<number> => {
  const url = `${server.url}/functions/v1/verify-id`;
  const response = await fetch(url, { method: 'POST', headers: createHeaders(token), body: PICTURE });
  await response.text();
  return response.status;
};
const unfinished = (token: string, signal?: AbortSignal): ReturnType<typeof sendUnfinished> =>
  sendUnfinished(
    server.url,
    {
      path: '/functions/v1/verify-id',
      headers: { ...createHeaders(token), 'content-length': String(PICTURE.length) },
      sent: PICTURE.slice(0, 1_000),
    },
    undefined,
    signal,
  );

/** Runs `work` while polling /healthz. Returns its result, the peak memory in bytes and the processor time in seconds. */
async function watch<T>(work: () => Promise<T>): Promise<{ done: T; bytes: number; processorSeconds: number }> {
  const [before, began] = [await server.memory(), await server.processorSeconds()];
  const worst = { bytes: 0 };
  let over = false;
  const watching = (async () => {
    while (!over) {
      expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
      worst.bytes = Math.max(worst.bytes, (await server.memory()) - before);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  })();
  const done = await work();
  over = true;
  await watching;
  return { done, ...worst, processorSeconds: (await server.processorSeconds()) - began };
}
const times = <T>(count: number, work: () => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, work));

test(`${POSTS} guests with a picture get 401 before their body has arrived`, async () => {
  const answers = await times(POSTS, () => unfinished(server.anonKey));
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: POSTS }, () => 401));
});

test(`${POSTS} pictures of guests do not delay other requests or fill the memory`, async () => {
  const { done, bytes, processorSeconds } = await watch(() =>
    times(POSTS, () => post(server.anonKey).catch(() => 401)),
  );
  expect(new Set(done)).toEqual(new Set([401]));
  expect(processorSeconds).toBeLessThan(3);
  expect(bytes).toBeLessThan(200 * MEGABYTE);
}, 120_000);

test('of many simultaneous pictures of one customer all but two get 429', async () => {
  const first = await firstStatuses(POSTS, POSTS - 2, (signal) => unfinished(server.person.token, signal));
  expect(first).toEqual(Array.from({ length: POSTS - 2 }, () => 429));
}, 60_000);

test(`${POSTS} pictures of one customer use limited memory; above the limit they get 429 before their body has arrived`, async () => {
  const { done, bytes, processorSeconds } = await watch(() =>
    times(POSTS, () => post(server.person.token).catch(() => 429)),
  );
  expect(done.filter((status) => status !== 429).length).toBeLessThanOrEqual(10);
  expect(processorSeconds).toBeLessThan(5);
  expect(bytes).toBeLessThan(300 * MEGABYTE);
  for (let n = 0; n < 12; n += 1) await post(server.person.token).catch(() => 429);
  const { status, text } = await unfinished(server.person.token);
  expect([status, text]).toEqual([429, expect.stringMatching(/retry-after: \d+/i)]);
}, 180_000);

test('a body with too large a content-length, or that is not JSON, is refused before it has arrived', async () => {
  const headers = createHeaders(server.person.token);
  const ask = async (path: string, more: Record<string, string>): Promise<number> =>
    (await sendUnfinished(server.url, { path, headers: { ...headers, ...more }, sent: '{' })).status;
  expect(await ask('/functions/v1/cancel-booking', { 'content-length': '70000' })).toBe(413);
  expect(await ask('/functions/v1/verify-id', { 'content-length': '20000000' })).toBe(413);
  expect(await ask('/functions/v1/cancel-booking', { 'content-length': '20', 'content-type': 'text/plain' })).toBe(415);
  expect(await ask('/auth/v1/signup', { 'content-length': '70000' })).toBe(413);
  expect(await ask('/auth/v1/signup', { 'content-length': '20', 'content-type': 'text/plain' })).toBe(415);
  expect(await ask('/rest/v1/profiles', { 'content-length': '2000000' })).toBe(413);
});

test('of 40 bodies that a guest starts from one address at least 24 get 429, and other requests are answered meanwhile', async () => {
  const headers = { 'content-type': 'application/json', 'content-length': '1000000' };
  const first = await firstStatuses(
    40,
    24,
    (signal) => sendUnfinished(server.url, { path: '/rest/v1/mailing_list', headers, sent: '{' }, undefined, signal),
    async () => {
      const settings = await fetch(`${server.url}/auth/v1/settings`, { headers: { apikey: server.anonKey } });
      expect(settings.status).toBe(200);
    },
  );
  expect(first).toEqual(Array.from({ length: 24 }, () => 429));
}, 60_000);
