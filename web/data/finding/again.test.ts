import { expect, test } from 'vitest';
import { slotStart } from '#rules/studio-time.ts';
import { bookAgain } from './again.ts';

const at = (day: string, hour: number): Date => slotStart(day, hour) ?? new Date(Number.NaN);
/** A Monday at noon. */
const NOW = at('2026-11-23', 12);
const repeat = (start: Date, end: Date, cancelled = false) => bookAgain({ studioId: 'a', start, end, cancelled }, NOW);

test('a coming booking is booked again a week after it, a past one on the first such weekday that is ahead', () => {
  expect(repeat(at('2026-11-27', 19), at('2026-11-27', 21))).toEqual({
    to: '/booking?room=a&from=2026-12-04T19&hours=2',
    day: 'Fri 4 Dec',
    sameTime: 'Same time next week',
  });
  expect(repeat(at('2026-10-30', 22), at('2026-10-31', 1))).toMatchObject({
    to: '/booking?room=a&from=2026-11-27T22&hours=3',
    day: 'Fri 27 Nov',
  });
});

test('the hours of a cancelled booking are wanted again while they are to come', () => {
  expect(repeat(at('2026-11-27', 19), at('2026-11-27', 20), true).day).toBe('Fri 27 Nov');
  expect(repeat(at('2026-11-20', 19), at('2026-11-20', 20), true).day).toBe('Fri 27 Nov');
});

test('hours that are not on the grid choose the room only', () => {
  const half = new Date(at('2026-11-20', 19).getTime() + 1_800_000);
  expect(repeat(half, at('2026-11-20', 21))).toMatchObject({ to: '/booking?room=a', day: '' });
});

test('weeks in which the hours are booked already, as in a series, are left out, and the link names the day', () => {
  const span = (day: string) => ({ start: at(day, 19), end: at(day, 21) });
  const own = [span('2026-11-27'), span('2026-12-04')];
  expect(bookAgain({ studioId: 'a', ...span('2026-11-27'), own }, NOW)).toEqual({
    to: '/booking?room=a&from=2026-12-11T19&hours=2',
    day: 'Fri 11 Dec',
    sameTime: 'Same time, Fri 11 Dec',
  });
  expect(bookAgain({ studioId: 'a', ...span('2026-11-27'), cancelled: true, own }, NOW).day).toBe('Fri 11 Dec');
});
