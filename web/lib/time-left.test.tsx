import { act, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { TimeLeft } from './time-left.tsx';

const NOW = new Date('2026-11-21T08:00:00Z');
beforeEach(() => void vi.useFakeTimers({ now: NOW }));
afterEach(() => void vi.useRealTimers());

test('the time left counts down every second, ends at zero and is not announced', () => {
  render(<TimeLeft until={new Date(NOW.getTime() + 61_000)} />);
  const timer = screen.getByRole('timer');
  expect([timer.textContent, timer.getAttribute('aria-live')]).toEqual(['1:01', 'off']);
  act(() => void vi.advanceTimersByTime(2_000));
  expect(timer.textContent).toBe('0:59');
  act(() => void vi.advanceTimersByTime(120_000));
  expect(timer.textContent).toBe('0:00');
});

test('from an hour on the time left says the hours', () => {
  render(<TimeLeft until={new Date(NOW.getTime() + 6_905_000)} />);
  expect(screen.getByRole('timer').textContent).toBe('1:55:05');
});
