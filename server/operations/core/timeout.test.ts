import { pino } from 'pino';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startDeadline, withTimeout } from './timeout.ts';

const log = pino({ level: 'silent' });

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a deadline counts down from its start and never falls below 50 ms', () => {
  const timeLeft = startDeadline(1_500);
  expect(timeLeft()).toBe(1_500);
  vi.advanceTimersByTime(1_000);
  expect(timeLeft()).toBe(500);
  vi.advanceTimersByTime(5_000);
  expect(timeLeft()).toBe(50);
});

test('work that finishes in time returns its own result', async () => {
  await expect(withTimeout(log, 1_500, Promise.resolve('done'), 'late')).resolves.toBe('done');
});

test('work that takes longer is reported as late exactly at the timeout', async () => {
  let answer: string | null = null;
  void withTimeout(log, 1_500, new Promise<string>(() => {}), 'late').then((value) => (answer = value));
  await vi.advanceTimersByTimeAsync(1_499);
  expect(answer).toBeNull();
  await vi.advanceTimersByTimeAsync(1);
  expect(answer).toBe('late');
});

test('a failure before the timeout is thrown, a later one is logged', async () => {
  await expect(withTimeout(log, 1_500, Promise.reject(new Error('refused')), 'late')).rejects.toThrow('refused');
  const warn = vi.spyOn(log, 'warn');
  let fail: (cause: Error) => void = () => {};
  const late = withTimeout(log, 1_500, new Promise<string>((_resolve, reject) => (fail = reject)), 'late');
  await vi.advanceTimersByTimeAsync(1_500);
  await expect(late).resolves.toBe('late');
  fail(new Error('refused'));
  await vi.advanceTimersByTimeAsync(0);
  expect(warn).toHaveBeenCalledOnce();
});
