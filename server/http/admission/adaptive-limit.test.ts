import { expect, test } from 'vitest';
import { createAdaptiveLimit } from './adaptive-limit.ts';

/** A limit of 100 with a fake clock. `answer` adds `count` answers that took `ms` each, spread over a second. */
function limitOfHundred() {
  let now = 0;
  const limit = createAdaptiveLimit(100, () => now);
  return {
    current: limit.current,
    answer(count: number, ms: number) {
      for (let index = 0; index < count; index += 1) {
        now += 1_000 / count;
        limit.add(ms);
      }
    },
  };
}

test('the limit falls while most answers are slow, to two fifths, and rises to all again', () => {
  const { current, answer } = limitOfHundred();
  answer(200, 10);
  expect(current()).toBe(100);
  answer(100, 900);
  expect(current()).toBeLessThan(60);
  for (let seconds = 0; seconds < 10; seconds += 1) answer(100, 900);
  expect(current()).toBe(40);
  for (let seconds = 0; seconds < 10; seconds += 1) answer(100, 10);
  expect(current()).toBe(100);
});

test('few slow answers among quick ones do not change the limit', () => {
  const { current, answer } = limitOfHundred();
  for (let index = 0; index < 50; index += 1) {
    answer(3, 2_000);
    answer(7, 10);
  }
  expect(current()).toBe(100);
});
