import { expect, test } from 'vitest';
import { createStartQueue } from './start-queue.ts';

/** A queue with a fake clock and event loop. Each piece of work takes `ms`. */
function createQueue(ms: number) {
  let now = 0;
  const turns: (() => void)[] = [];
  const started: string[] = [];
  const queue = createStartQueue(
    3,
    () => now,
    (run) => void turns.push(run),
  );
  const add = (rank: number, name: string): (() => void) =>
    queue.add(rank, () => {
      now += ms;
      started.push(name);
    });
  /** Runs one turn of the event loop and returns the work that started in it. */
  const turn = (): string[] => {
    started.length = 0;
    for (const run of turns.splice(0)) run();
    return [...started];
  };
  return { add, turn, started };
}

test('work starts at once while little has started in this turn, and the rest over the next turns', () => {
  const { add, turn, started } = createQueue(0.8);
  for (let index = 1; index <= 8; index += 1) add(2, `work ${index}`);
  expect(started).toEqual(['work 1', 'work 2', 'work 3']);
  expect(turn()).toEqual(['work 4', 'work 5', 'work 6']);
  expect(turn()).toEqual(['work 7', 'work 8']);
  expect(turn()).toEqual([]);
  add(2, 'later');
  expect(started).toEqual(['later']);
});

test('of the work that waits the lowest rank starts first', () => {
  const { add, turn } = createQueue(5);
  add(2, 'first');
  for (const [rank, name] of [
    [2, 'guest'],
    [1, 'customer'],
    [0, 'hold'],
  ] as const)
    add(rank, name);
  expect([turn(), turn(), turn()]).toEqual([['hold'], ['customer'], ['guest']]);
});

test('work that is removed before its turn never starts', () => {
  const { add, turn } = createQueue(5);
  add(2, 'first');
  const remove = add(2, 'gone');
  add(2, 'next');
  remove();
  expect(turn()).toEqual(['next']);
});

test('every eighth start is for the work that waits longest', () => {
  const { add, turn } = createQueue(5);
  add(2, 'first');
  add(2, 'guest');
  for (let index = 0; index < 12; index += 1) add(0, 'hold');
  const order = Array.from({ length: 13 }, () => turn()).flat();
  expect(order.indexOf('guest')).toBeLessThan(8);
  expect(order.filter((name) => name === 'hold')).toHaveLength(12);
});
