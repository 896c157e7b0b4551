import { expect, test } from 'vitest';
import { slotEnd, slotStart } from '../studio-time.ts';
import { freeHoursByDay } from './free-days.ts';

const span = (date: string, hour: number, lastDate: string, last: number) => ({
  start: slotStart(date, hour) ?? new Date(Number.NaN),
  end: slotEnd(lastDate, last),
});
const free = (first: string, days: number, busy: readonly { start: Date; end: Date }[], now: string) => [
  ...freeHoursByDay({ first, days, busy }, new Date(now)).values(),
];

test('each day counts its free hours once, also beside overlapping spans and one across midnight', () => {
  const busy = [
    span('2026-11-21', 22, '2026-11-22', 1),
    span('2026-11-21', 10, '2026-11-21', 12),
    span('2026-11-21', 11, '2026-11-21', 11),
    span('2026-11-23', 0, '2026-11-23', 23),
  ];
  expect(free('2026-11-21', 4, busy, '2026-11-19T00:00:00Z')).toEqual([19, 22, 0, 24]);
});

test('hours that have begun are gone, and the days on which the clocks change have 23 and 25', () => {
  // 3:10 pm in Sydney.
  expect(free('2026-11-20', 1, [], '2026-11-20T04:10:00Z')).toEqual([8]);
  expect(free('2026-10-04', 1, [], '2026-10-01T00:00:00Z')).toEqual([23]);
  expect(free('2027-04-04', 1, [span('2027-04-04', 2, '2027-04-04', 2)], '2027-04-01T00:00:00Z')).toEqual([23]);
});
