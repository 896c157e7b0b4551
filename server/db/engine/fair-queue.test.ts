import { expect, test } from 'vitest';
import { createFairQueue, SERVER_LANE } from './fair-queue.ts';

/** Runs jobs that record their names; none starts before all are queued. */
async function orderOf(jobs: readonly (readonly [lane: string, name: string])[]): Promise<string[]> {
  const queue = createFairQueue();
  const order: string[] = [];
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  const first = queue.take('gate', () => gate);
  const all = jobs.map(([lane, name]) => queue.take(lane, () => Promise.resolve(void order.push(name))));
  open();
  await Promise.all([first, ...all]);
  expect(queue.idle()).toBe(true);
  return order;
}

test('a lane with many jobs delays other lanes by one job only', async () => {
  const order = await orderOf([
    ['a', 'a1'],
    ['a', 'a2'],
    ['a', 'a3'],
    ['b', 'b1'],
    ['c', 'c1'],
    ['c', 'c2'],
  ]);
  expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3']);
});

test('the server gets every second turn while it has work, in its own order', async () => {
  const order = await orderOf([
    ['a', 'a1'],
    ['b', 'b1'],
    ['c', 'c1'],
    [SERVER_LANE, 's1'],
    [SERVER_LANE, 's2'],
    [SERVER_LANE, 's3'],
    [SERVER_LANE, 's4'],
  ]);
  expect(order).toEqual(['s1', 'a1', 's2', 'b1', 's3', 'c1', 's4']);
});

test('jobs run one at a time, and a failure rejects only its own promise', async () => {
  const queue = createFairQueue();
  let running = 0;
  const work = async (fails: boolean): Promise<number> => {
    running += 1;
    expect(running).toBe(1);
    await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
    if (fails) throw new Error('refused');
    return 7;
  };
  const outcomes = await Promise.allSettled([
    queue.take('a', () => work(false)),
    queue.take('b', () => work(true)),
    queue.take('c', () => work(false)),
  ]);
  expect(outcomes.map((one) => one.status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(await queue.take('a', () => work(false))).toBe(7);
});
