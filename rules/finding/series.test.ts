import { expect, test } from 'vitest';
import { isSeries, slotsDaysLater, weeklyDates } from './series.ts';
import { toSpan } from '../slots.ts';

const hours = (date: string, ...list: number[]) => list.map((hour) => ({ date, hour }));

test('a series is on the same weekday from its first date on', () => {
  expect(weeklyDates('2026-12-26', 3)).toEqual(['2026-12-26', '2027-01-02', '2027-01-09']);
});

test.each([
  [['2026-12-05', '2026-12-12'], true],
  [['2026-12-05', '2026-12-19'], true],
  [weeklyDates('2026-12-05', 8), true],
  [['2026-12-05'], false],
  [weeklyDates('2026-12-05', 9), false],
  [['2026-12-05', '2026-12-13'], false],
  [['2026-12-12', '2026-12-05'], false],
  [['2026-12-05', '2026-12-12', '2026-12-12'], false],
] as const)('%j is a series: %s', (dates, is) => {
  expect(isSeries(dates)).toBe(is);
});

test('later hours keep the clock, so their instants move by an hour when the clocks change', () => {
  const before = hours('2026-09-27', 10, 11);
  const later = slotsDaysLater(before, 7);
  expect(later).toEqual(hours('2026-10-04', 10, 11));
  expect(toSpan(before).start.toISOString()).toBe('2026-09-27T00:00:00.000Z');
  expect(toSpan(later ?? []).start.toISOString()).toBe('2026-10-03T23:00:00.000Z');
});

test('hours over midnight stay over midnight', () => {
  expect(slotsDaysLater([...hours('2026-12-31', 23), ...hours('2027-01-01', 0)], 7)).toEqual([
    ...hours('2027-01-07', 23),
    ...hours('2027-01-08', 0),
  ]);
});

test('the hour that the clocks skip is left out in between, and comes back a week later', () => {
  expect(slotsDaysLater(hours('2026-09-27', 1, 2, 3), 7)).toEqual(hours('2026-10-04', 1, 3));
  expect(slotsDaysLater(hours('2026-10-04', 1, 3), 7)).toEqual(hours('2026-10-11', 1, 2, 3));
});

test.each([
  ['first', [2, 3]],
  ['last', [1, 2]],
] as const)('there are no such hours when the clocks skip the %s one', (_, list) => {
  expect(slotsDaysLater(hours('2026-09-27', ...list), 7)).toBeNull();
});
