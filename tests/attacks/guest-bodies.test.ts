import { afterAll, beforeAll, expect, test } from 'vitest';
import { type MeasuredServer, startMeasuredServer } from '#tests/support/measured-server.ts';
import { sendUnfinished } from '#tests/support/raw-request.ts';

/** As seen: 24 pictures of 14 MB posted with the public key stopped the server for 23.7 s and took 3 GB. */
const POSTS = 24;
const MEGABYTE = 1024 * 1024;
const PICTURE = JSON.stringify({ idImage: `data:image/jpeg;base64,${'A'.repeat(14 * 1000 * 1000)}` });

let server: MeasuredServer;
beforeAll(async () => {
  server = await startMeasuredServer({ RATE_LIMIT_FACTOR: '1' });
}, 120_000);
afterAll(() => server.close());

const headersOf = (token: string): Record<string, string> => ({
  apikey: server.anonKey,
  authorization: `Bearer ${token}`,
  'content-type': 'application/json',
});
const post = async (token: string): Promise<number> => {
  const url = `${server.url}/functions/v1/verify-id`;
  const response = await fetch(url, { method: 'POST', headers: headersOf(token), body: PICTURE });
  await response.text();
  return response.status;
};
const unfinished = (token: string): ReturnType<typeof sendUnfinished> =>
  sendUnfinished(server.url, {
    path: '/functions/v1/verify-id',
    headers: { ...headersOf(token), 'content-length': String(PICTURE.length) },
    sent: PICTURE.slice(0, 1_000),
  });

/** Does `work` and answers how much memory it took at most, and how long /healthz waited at most. */
async function watch<T>(work: () => Promise<T>): Promise<{ done: T; bytes: number; seconds: number }> {
  const before = await server.memory();
  const worst = { bytes: 0, seconds: 0 };
  let over = false;
  const watching = (async () => {
    while (!over) {
      const began = performance.now();
      expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
      worst.seconds = Math.max(worst.seconds, (performance.now() - began) / 1000);
      worst.bytes = Math.max(worst.bytes, (await server.memory()) - before);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  })();
  const done = await work();
  over = true;
  await watching;
  return { done, ...worst };
}
const times = <T>(count: number, work: () => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, work));

test(`${POSTS} guests with a picture get 401 before their body is there`, async () => {
  const answers = await times(POSTS, () => unfinished(server.anonKey));
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: POSTS }, () => 401));
});

test(`${POSTS} pictures of guests stop nobody and stay out of memory`, async () => {
  const { done, bytes, seconds } = await watch(() => times(POSTS, () => post(server.anonKey).catch(() => 401)));
  expect(new Set(done)).toEqual(new Set([401]));
  expect(seconds).toBeLessThan(5);
  expect(bytes).toBeLessThan(200 * MEGABYTE);
}, 120_000);

test('of many pictures that one customer sends at once two are read, and the others are told to wait', async () => {
  const answers = await times(POSTS, () =>
    unfinished(server.person.token).then(
      ({ status }) => status,
      () => null, // it is being read: its body never ends
    ),
  );
  expect(answers.filter((status) => status === null).length).toBeLessThanOrEqual(2);
  expect(answers.filter((status) => status === 429).length).toBeGreaterThanOrEqual(POSTS - 2);
}, 60_000);

test(`${POSTS} pictures of one customer are bounded in memory; over the limit they get 429 before their body is there`, async () => {
  const { done, bytes, seconds } = await watch(() => times(POSTS, () => post(server.person.token).catch(() => 429)));
  expect(done.filter((status) => status !== 429).length).toBeLessThanOrEqual(10);
  expect(seconds).toBeLessThan(5);
  expect(bytes).toBeLessThan(300 * MEGABYTE);
  for (let n = 0; n < 12; n += 1) await post(server.person.token).catch(() => 429);
  const { status, text } = await unfinished(server.person.token);
  expect([status, text]).toEqual([429, expect.stringMatching(/retry-after: \d+/i)]);
}, 180_000);

test('a body that is announced too large, or is no JSON, is refused before it is there', async () => {
  const headers = headersOf(server.person.token);
  const ask = async (path: string, more: Record<string, string>): Promise<number> =>
    (await sendUnfinished(server.url, { path, headers: { ...headers, ...more }, sent: '{' })).status;
  expect(await ask('/functions/v1/cancel-booking', { 'content-length': '70000' })).toBe(413);
  expect(await ask('/functions/v1/verify-id', { 'content-length': '20000000' })).toBe(413);
  expect(await ask('/functions/v1/cancel-booking', { 'content-length': '20', 'content-type': 'text/plain' })).toBe(415);
  expect(await ask('/auth/v1/signup', { 'content-length': '2000000' })).toBe(413);
  expect(await ask('/auth/v1/signup', { 'content-length': '20', 'content-type': 'text/plain' })).toBe(415);
  expect(await ask('/rest/v1/profiles', { 'content-length': '2000000' })).toBe(413);
});

test('a guest who begins many bodies at one address is told to wait, and others are served', async () => {
  const headers = { 'content-type': 'application/json', 'content-length': '1000000' };
  const hold = (): Promise<number | null> =>
    sendUnfinished(server.url, { path: '/auth/v1/signup', headers, sent: '{' }, 1_500).then(
      ({ status }) => status,
      () => null,
    );
  const held = await times(40, hold);
  expect(held.filter((status) => status === null).length).toBeLessThanOrEqual(16);
  expect(held.filter((status) => status === 429).length).toBeGreaterThanOrEqual(24);
  expect((await fetch(`${server.url}/auth/v1/settings`, { headers: { apikey: server.anonKey } })).status).toBe(200);
}, 60_000);
