import { expect, test } from 'vitest';
import {
  cellAt,
  type Column,
  getColumns,
  describeSpan,
  inTheWay,
  getPlace,
  resizeSpan,
  selectHours,
  shiftSpan,
  type Span,
  spanOfBusy,
  getTimes,
} from './span.ts';

const STUDIOS = [
  { id: 'a', name: 'Studio A' },
  { id: 'b', name: 'Studio B' },
];
const column = (date: string, studioId = 'a'): Column => ({ studioId, studioName: studioId, date });
const span = (date: string, hour: number, hours: number, studioId = 'a'): Span => ({
  studioId,
  first: { date, hour },
  hours,
});
const busy = (start: string, end: string, studioId = 'a') => ({
  id: `${studioId}${start}`,
  studioId,
  start: new Date(start),
  end: new Date(end),
});
// The clocks go forward on 4 October 2026 and back on 4 April 2027, both at night.
const FORWARD = '2026-10-04';
const BACK = '2027-04-04';

test('a day has a column for each studio, a week one for each day of a studio or of all, from Monday', () => {
  const names = (columns: Column[]): string => columns.map(({ date, studioId }) => date.slice(8) + studioId).join(' ');
  expect(names(getColumns('day', '2031-03-05', STUDIOS, 'a'))).toBe('05a 05b');
  expect(names(getColumns('week', '2031-03-09', STUDIOS, 'b'))).toBe('03b 04b 05b 06b 07b 08b 09b');
  expect(getColumns('week', '2031-03-03', STUDIOS, null)).toHaveLength(14);
});

test.each([
  ['2031-03-03T09:00+11:00', '2031-03-03T11:30+11:00', '2031-03-03', { top: 9, rows: 2.5 }],
  ['2031-03-02T22:00+11:00', '2031-03-03T01:00+11:00', '2031-03-03', { top: 0, rows: 1 }],
  ['2031-03-02T22:00+11:00', '2031-03-03T01:00+11:00', '2031-03-02', { top: 22, rows: 2 }],
  ['2031-03-03T09:00+11:00', '2031-03-03T11:30+11:00', '2031-03-04', null],
  [`${FORWARD}T01:00+10:00`, `${FORWARD}T04:00+11:00`, FORWARD, { top: 1, rows: 3 }],
  [`${BACK}T02:00+11:00`, `${BACK}T03:00+10:00`, BACK, { top: 2, rows: 1 }],
  [`${BACK}T02:00+11:00`, `${BACK}T02:00+10:00`, BACK, { top: 2, rows: 0.5 }],
])('%s to %s takes on %s the rows %j', (start, end, date, place) => {
  expect(getPlace({ start: new Date(start), end: new Date(end) }, date)).toEqual(place);
});

test('hours of the grid become a span and back; other times do not', () => {
  const night = busy('2031-03-02T22:00+11:00', '2031-03-03T01:00+11:00');
  expect(spanOfBusy(night)).toEqual(span('2031-03-02', 22, 3));
  expect(getTimes(span('2031-03-02', 22, 3))).toEqual({ start: night.start, end: night.end });
  expect(spanOfBusy(busy('2031-03-02T22:30+11:00', '2031-03-03T01:00+11:00'))).toBeNull();
});

test('a selection goes up or down as far as hours are free and exist', () => {
  const taken = [busy('2031-03-03T12:00+11:00', '2031-03-03T13:00+11:00')];
  const day = column('2031-03-03');
  expect(selectHours(day, 9, 10, taken)).toEqual(span('2031-03-03', 9, 2));
  expect(selectHours(day, 9, 15, taken)).toEqual(span('2031-03-03', 9, 3));
  expect(selectHours(day, 15, 9, taken)).toEqual(span('2031-03-03', 13, 3));
  expect(selectHours(day, 12, 14, taken)).toBeNull();
  expect(selectHours(column('2031-03-03', 'b'), 12, 12, taken)).toEqual(span('2031-03-03', 12, 1, 'b'));
  expect(selectHours(column(FORWARD), 1, 3, [])).toEqual(span(FORWARD, 1, 2));
  expect(selectHours(column(FORWARD), 2, 2, [])).toBeNull();
});

test('hours move by rows and columns, over midnight and the skipped hour', () => {
  const day = column('2031-03-03');
  const move = (from: Span, rows: number, to: Column = day): Span => shiftSpan(from, { rows, from: day, to });
  expect(move(span('2031-03-03', 9, 2), 3)).toEqual(span('2031-03-03', 12, 2));
  expect(move(span('2031-03-03', 23, 2), 2)).toEqual(span('2031-03-04', 1, 2));
  expect(move(span('2031-03-03', 0, 2), -1)).toEqual(span('2031-03-02', 23, 2));
  expect(move(span('2031-03-03', 9, 2), 0, column('2031-03-05', 'b'))).toEqual(span('2031-03-05', 9, 2, 'b'));
  const before = column('2026-10-03');
  const shift = (rows: number) => shiftSpan(span('2026-10-03', 2, 1), { rows, from: before, to: column(FORWARD) });
  expect([shift(0).first.hour, shift(-1).first.hour, shift(1).first.hour]).toEqual([3, 1, 4]);
});

test('hours get longer and shorter at either end, and keep at least one and at most 24', () => {
  const three = span('2031-03-03', 9, 3);
  expect(resizeSpan(three, 'end', 2)).toEqual(span('2031-03-03', 9, 5));
  expect(resizeSpan(three, 'end', -9)).toEqual(span('2031-03-03', 9, 1));
  expect(resizeSpan(three, 'end', 99).hours).toBe(24);
  expect(resizeSpan(three, 'start', 1)).toEqual(span('2031-03-03', 10, 2));
  expect(resizeSpan(three, 'start', -2)).toEqual(span('2031-03-03', 7, 5));
  expect(resizeSpan(three, 'start', 9)).toEqual(span('2031-03-03', 11, 1));
});

test('only the same studio is in the way, and never the booking itself', () => {
  const taken = busy('2031-03-03T12:00+11:00', '2031-03-03T13:00+11:00');
  expect(inTheWay(span('2031-03-03', 11, 2), [taken])).toBe(taken);
  expect(inTheWay(span('2031-03-03', 10, 2), [taken])).toBeNull();
  expect(inTheWay(span('2031-03-03', 11, 2, 'b'), [taken])).toBeNull();
  expect(inTheWay(span('2031-03-03', 11, 2), [taken], taken.id)).toBeNull();
});

test('a point is in a cell, and outside at the nearest edge', () => {
  const area = { left: 100, top: 50, width: 300, height: 480 };
  expect(cellAt({ x: 250, y: 70 }, area, 3)).toEqual({ column: 1, hour: 1 });
  expect(cellAt({ x: 0, y: 9_999 }, area, 3)).toEqual({ column: 0, hour: 23 });
  expect(cellAt({ x: 400, y: 50 }, area, 3)).toEqual({ column: 2, hour: 0 });
});

test('a span is described with its day, and past midnight with the next', () => {
  expect(describeSpan(span('2031-03-03', 9, 2), 'Studio A')).toBe('Studio A, Mon 3 Mar 2031, 9 am to 11 am');
  expect(describeSpan(span('2031-03-03', 22, 2), 'Studio A')).toBe('Studio A, Mon 3 Mar 2031, 10 pm to 12 am');
  expect(describeSpan(span('2031-03-03', 22, 4), 'Studio A')).toBe(
    'Studio A, Mon 3 Mar 2031, 10 pm to 2 am the next day',
  );
});
