import { pino } from 'pino';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createSharedWork, startBudget, within } from './in-time.ts';

const log = pino({ level: 'silent' });

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a budget counts down from its start and never falls below 50 ms', () => {
  const left = startBudget(1_500);
  expect(left()).toBe(1_500);
  vi.advanceTimersByTime(1_000);
  expect(left()).toBe(500);
  vi.advanceTimersByTime(5_000);
  expect(left()).toBe(50);
});

test('work that finishes in time returns its own result', async () => {
  await expect(within(log, 1_500, Promise.resolve('done'), 'late')).resolves.toBe('done');
});

test('work that takes longer is reported as late exactly at the timeout', async () => {
  let answer: string | null = null;
  void within(log, 1_500, new Promise<string>(() => {}), 'late').then((value) => (answer = value));
  await vi.advanceTimersByTimeAsync(1_499);
  expect(answer).toBeNull();
  await vi.advanceTimersByTimeAsync(1);
  expect(answer).toBe('late');
});

test('a failure before the timeout is thrown, a later one is logged', async () => {
  await expect(within(log, 1_500, Promise.reject(new Error('refused')), 'late')).rejects.toThrow('refused');
  const warn = vi.spyOn(log, 'warn');
  let fail: (cause: Error) => void = () => {};
  const late = within(log, 1_500, new Promise<string>((_resolve, reject) => (fail = reject)), 'late');
  await vi.advanceTimersByTimeAsync(1_500);
  await expect(late).resolves.toBe('late');
  fail(new Error('refused'));
  await vi.advanceTimersByTimeAsync(0);
  expect(warn).toHaveBeenCalledOnce();
});

test('callers with the same key share work in progress, and start it again afterwards', async () => {
  const share = createSharedWork<number>();
  let runs = 0;
  const work = async (): Promise<number> => (runs += 1);
  expect(await Promise.all([share('a', work), share('a', work), share('b', work)])).toEqual([1, 1, 2]);
  expect(await share('a', work)).toBe(3);
});
