import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { startHttpServer } from './connections/http-server.ts';
import { createOverload, type Overload } from './overload.ts';

const GUEST = { apikey: 'public', authorization: 'Bearer public' };
const CUSTOMER = { apikey: 'public', authorization: 'Bearer token' };

/** Sends a request that stays in progress. Returns whether it was admitted, and a function that ends it. */
function enter(overload: Overload, url: string, headers: Record<string, string>) {
  const ended: { status: number; body: string }[] = [];
  const answer = Object.assign(new EventEmitter(), {
    writeHead: (status: number) => void ended.push({ status, body: '' }),
    end: (body: string) => void (ended[0] && (ended[0] = { ...ended[0], body })),
  });
  let admitted = false;
  overload.admit({ url, headers }, answer, () => (admitted = true));
  return { admitted, ended, close: () => void answer.emit('close') };
}

test('guests are refused first, then accounts, and functions last', () => {
  const overload = createOverload(20, () => 0);
  const guests = Array.from({ length: 13 }, () => enter(overload, '/rest/v1/towns', GUEST).admitted);
  expect(guests.filter(Boolean)).toHaveLength(12);
  const customers = Array.from({ length: 6 }, () => enter(overload, '/rest/v1/lands', CUSTOMER).admitted);
  expect(customers.filter(Boolean)).toHaveLength(5);
  const holds = Array.from({ length: 4 }, () => enter(overload, '/functions/v1/anything', CUSTOMER).admitted);
  expect(holds.filter(Boolean)).toHaveLength(3);
  expect(overload.inProgress()).toEqual({ urgent: 3, 'signed-in': 5, guest: 12 });
  expect(overload.refused()).toEqual({ urgent: 1, 'signed-in': 1, guest: 1 });
});

test('pages, health and files are never refused', () => {
  const overload = createOverload(10, () => 0);
  for (let index = 0; index < 10; index += 1) enter(overload, '/functions/v1/anything', CUSTOMER);
  for (const path of ['/', '/healthz', '/metrics', '/storage/v1/object/a', '/realtime/v1/websocket'])
    expect(enter(overload, path, GUEST).admitted, path).toBe(true);
});

test('an ended request makes room for the next', () => {
  const overload = createOverload(10, () => 0);
  const first = enter(overload, '/rest/v1/towns', GUEST);
  for (let index = 0; index < 5; index += 1) enter(overload, '/rest/v1/towns', GUEST);
  const refused = enter(overload, '/rest/v1/towns', GUEST);
  expect(refused.admitted).toBe(false);
  expect(refused.ended[0]).toMatchObject({ status: 503, body: expect.stringContaining('"server_busy"') });
  first.close();
  expect(enter(overload, '/rest/v1/towns', GUEST).admitted).toBe(true);
});

test('while answers are slow guests and accounts are refused earlier, and functions are not', () => {
  let now = 0;
  const overload = createOverload(20, () => now);
  for (let index = 0; index < 200; index += 1) {
    const request = enter(overload, '/rest/v1/towns', GUEST);
    now += 1_000;
    request.close();
  }
  const admitted = (url: string, headers: Record<string, string>): number =>
    Array.from({ length: 20 }, () => enter(overload, url, headers)).filter(({ ended }) => ended.length === 0).length;
  expect(admitted('/rest/v1/towns', GUEST)).toBe(5);
  expect(admitted('/rest/v1/lands', CUSTOMER)).toBe(2);
  expect(admitted('/functions/v1/anything', CUSTOMER)).toBe(13);
});

test('a refused request gets 503 with Retry-After and is never handled', async () => {
  const overload = createOverload(10);
  let handled = 0;
  const { promise: release, resolve: end } = Promise.withResolvers<void>();
  const { promise: listening, resolve: listen } = Promise.withResolvers<number>();
  const server = startHttpServer(
    async () => {
      handled += 1;
      await release;
      return new Response('done');
    },
    { port: 0, host: '127.0.0.1', admit: overload.admit },
    listen,
  );
  const url = `http://127.0.0.1:${await listening}/rest/v1/towns`;
  const accepted = Array.from({ length: 6 }, () => fetch(url));
  await expect.poll(() => handled).toBe(6);
  const refused = await fetch(url, { method: 'POST', body: 'x'.repeat(10_000) });
  expect([refused.status, refused.headers.get('retry-after'), handled]).toEqual([503, '1', 6]);
  expect(refused.headers.get('access-control-allow-origin')).toBe('*');
  end();
  expect((await Promise.all(accepted)).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
  await new Promise((resolve) => server.close(resolve));
});
