import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createDeliveries } from './deliveries.ts';
import { createFaults } from './faults.ts';

/** The bodies that `fetch` was called with. `fetch` is replaced and timers are fake, so no test waits. */
const posted: string[] = [];
beforeEach(() => {
  posted.length = 0;
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  vi.stubGlobal('fetch', (_url: string, { body }: { body: string }) => {
    posted.push(body);
    return Promise.resolve(new Response(null));
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function openWithReorderFault() {
  const faults = createFaults();
  faults.add({ provider: 'stripe', kind: 'reorder', status: 500, left: 1, until: Date.now() + 60_000 });
  const deliveries = createDeliveries(faults);
  const send = (body: string): void =>
    deliveries.send({ provider: 'stripe', url: 'http://127.0.0.1/', type: 'x', make: () => ({ body, headers: {} }) });
  return send;
}

test('a held webhook is sent once, right after the next one', async () => {
  const send = openWithReorderFault();
  send('first');
  await vi.advanceTimersByTimeAsync(1_000);
  expect(posted).toEqual([]);
  send('second');
  await vi.advanceTimersByTimeAsync(0);
  expect(posted).toEqual(['second']);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(posted).toEqual(['second', 'first']);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(posted).toEqual(['second', 'first']);
});

test('a held webhook is sent after a while when no other follows', async () => {
  const send = openWithReorderFault();
  send('first');
  await vi.advanceTimersByTimeAsync(60_000);
  expect(posted).toEqual(['first']);
});
