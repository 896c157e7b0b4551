import { expect, test } from 'vitest';
import { createLeasedLimit } from './leased-limit.ts';

const LIMIT = { name: 'test', max: 100, seconds: 60 };

/** A limit whose database grants `left` units in all, with a clock that tests move. */
function limitWith(left: number) {
  let now = Date.UTC(2030, 0, 1);
  const asked: number[] = [];
  const admit = createLeasedLimit({
    limit: LIMIT,
    clock: () => new Date(now),
    take: async (_, __, units) => {
      asked.push(units);
      const granted = Math.min(left, units);
      left -= granted;
      return { granted, wait: granted === 0 ? 7 : null };
    },
  });
  return { admit, asked, advance: (ms: number) => void (now += ms) };
}

test('ten requests cost one question to the database', async () => {
  const { admit, asked } = limitWith(100);
  for (let at = 0; at < 10; at += 1) expect(await admit('a')).toBeNull();
  expect(asked).toEqual([10]);
});

test('requests at the same moment share one question, and no more are admitted than were granted', async () => {
  const { admit, asked } = limitWith(25);
  const answers = await Promise.all(Array.from({ length: 60 }, () => admit('a')));
  expect(answers.filter((wait) => wait === null)).toHaveLength(25);
  expect(answers.filter((wait) => wait === 7)).toHaveLength(35);
  expect(asked).toEqual([10, 10, 10, 10]);
});

test('a refused key is not asked for again until its time has passed', async () => {
  const { admit, asked, advance } = limitWith(0);
  expect(await admit('a')).toBe(7);
  advance(2_000);
  expect(await admit('a')).toBe(5);
  expect(asked).toHaveLength(1);
  advance(5_000);
  expect(await admit('a')).toBe(7);
  expect(asked).toHaveLength(2);
});

test('units that were not used in ten seconds lapse', async () => {
  const { admit, asked, advance } = limitWith(100);
  await admit('a');
  advance(10_000);
  await admit('a');
  expect(asked).toEqual([10, 10]);
});

test('each key has its own share', async () => {
  const { admit, asked } = limitWith(100);
  await admit('a');
  await admit('b');
  expect(asked).toEqual([10, 10]);
});

test('a failed question is told to those who waited for it, and the next request asks again', async () => {
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
