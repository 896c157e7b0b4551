import { expect, test } from 'vitest';
import { createStatementTimes } from './statement-times.ts';

const RUNS = 20;
const open = () => {
  let now = 1_000;
  const times = createStatementTimes(() => now);
  const run = (text: string, ms: number, alone = true): void => {
    for (let at = 0; at < RUNS; at += 1) times.add(text, ms, alone);
    now += 300;
  };
  return { times, run };
};

test('a statement is brief when it has run several times and took little', () => {
  const { times, run } = open();
  expect(times.isBrief('light')).toBe(false);
  times.add('light', 1, true);
  expect(times.isBrief('light')).toBe(false);
  run('light', 1);
  run('heavy', 40);
  expect([times.isBrief('light'), times.isBrief('heavy')]).toEqual([true, false]);
});

test('on a busy machine a statement is brief when it takes about as long as the briefest', () => {
  const { times, run } = open();
  run('light', 30);
  run('other', 50);
  run('heavy', 90);
  expect(['light', 'other', 'heavy'].map(times.isBrief)).toEqual([true, true, false]);
});

test('a statement that was sent behind others counts only when it took longer than before', () => {
  const { times, run } = open();
  run('light', 30);
  run('behind', 90);
  run('behind', 0, false);
  expect(times.isBrief('behind')).toBe(false);
  run('light', 90, false);
  run('fast', 1);
  expect(times.isBrief('light')).toBe(false);
});
