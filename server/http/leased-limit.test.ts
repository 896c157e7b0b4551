import { expect, test } from 'vitest';
import { createLeasedLimit } from './leased-limit.ts';

const LIMIT = { name: 'test', max: 100, seconds: 60 };

/** A limit whose database grants `remaining` units in total, with a clock that tests advance. */
function limitWith(remaining: number) {
  let now = Date.UTC(2030, 0, 1);
  const taken: number[] = [];
  const admit = createLeasedLimit({
    limit: LIMIT,
    clock: () => new Date(now),
    take: async (_, __, units) => {
      taken.push(units);
      const granted = Math.min(remaining, units);
      remaining -= granted;
      return { granted, wait: granted === 0 ? 7 : null };
    },
  });
  return { admit, taken, advance: (ms: number) => void (now += ms) };
}

test('ten requests cost one query', async () => {
  const { admit, taken } = limitWith(100);
  for (let index = 0; index < 10; index += 1) expect(await admit('a')).toBeNull();
  expect(taken).toEqual([10]);
});

test('concurrent requests share one query, and no more are admitted than were granted', async () => {
  const { admit, taken } = limitWith(25);
  const answers = await Promise.all(Array.from({ length: 60 }, () => admit('a')));
  expect(answers.filter((wait) => wait === null)).toHaveLength(25);
  expect(answers.filter((wait) => wait === 7)).toHaveLength(35);
  expect(taken).toEqual([10, 10, 10, 10]);
});

test('a refused key costs no query until its wait has passed', async () => {
  const { admit, taken, advance } = limitWith(0);
  expect(await admit('a')).toBe(7);
  advance(2_000);
  expect(await admit('a')).toBe(5);
  expect(taken).toHaveLength(1);
  advance(5_000);
  expect(await admit('a')).toBe(7);
  expect(taken).toHaveLength(2);
});

test('units that are unused after ten seconds expire', async () => {
  const { admit, taken, advance } = limitWith(100);
  await admit('a');
  advance(10_000);
  await admit('a');
  expect(taken).toEqual([10, 10]);
});

test('each key has its own batch', async () => {
  const { admit, taken } = limitWith(100);
  await admit('a');
  await admit('b');
  expect(taken).toEqual([10, 10]);
});

test('of more than 10,000 keys the one unused for longest is dropped, and forfeits its units', async () => {
  const { admit, taken } = limitWith(1_000_000);
  await admit('busy');
  await admit('idle');
  for (let index = 0; index < 9_998; index += 1) await admit(`other ${index}`);
  await admit('busy');
  await admit('next');
  const before = taken.length;
  await admit('busy');
  expect(taken).toHaveLength(before);
  await admit('idle');
  expect(taken).toHaveLength(before + 1);
});

test('a failed query fails the requests that waited for it, and the next request queries again', async () => {
  let fails = true;
  const admit = createLeasedLimit({
    limit: LIMIT,
    clock: () => new Date(0),
    take: async () => {
      if (fails) throw new Error('the database is away');
      return { granted: 10, wait: null };
    },
  });
  await expect(admit('a')).rejects.toThrow('the database is away');
  fails = false;
  expect(await admit('a')).toBeNull();
});
