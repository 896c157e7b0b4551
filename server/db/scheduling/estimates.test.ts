import { expect, test } from 'vitest';
import { createEstimates } from './estimates.ts';

const RUNS = 20;
const open = () => {
  let now = 1_000;
  const estimates = createEstimates(() => now, null);
  const run = (text: string, ms: number, first = true): void => {
    for (let index = 0; index < RUNS; index += 1) estimates.addStatement(text, ms, first);
    now += 300;
  };
  return { estimates, run };
};

test('a statement is brief when it has run several times and took little', () => {
  const { estimates, run } = open();
  expect(estimates.isBrief('light')).toBe(false);
  estimates.addStatement('light', 1, true);
  expect(estimates.isBrief('light')).toBe(false);
  run('light', 1);
  run('heavy', 40);
  expect([estimates.isBrief('light'), estimates.isBrief('heavy')]).toEqual([true, false]);
});

test('on a busy machine a statement is brief when it takes about as long as the briefest', () => {
  const { estimates, run } = open();
  run('light', 30);
  run('other', 50);
  run('heavy', 90);
  expect(['light', 'other', 'heavy'].map(estimates.isBrief)).toEqual([true, true, false]);
});

test('a statement that was sent behind others counts only when it took longer than before', () => {
  const { estimates, run } = open();
  run('light', 30);
  run('behind', 90);
  run('behind', 0, false);
  expect(estimates.isBrief('behind')).toBe(false);
  run('light', 90, false);
  run('fast', 1);
  expect(estimates.isBrief('light')).toBe(false);
});
