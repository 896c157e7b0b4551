import { expect, test } from 'vitest';
import { beginDrag, type Cell, type Drag, dragTo, toWish } from './drag.ts';
import type { Entry } from './queries.ts';
import type { Column } from './span.ts';
import type { CalendarContent } from './walk.ts';

const DAY = '2031-03-03';
const COLUMNS: Column[] = ['A', 'B'].map((name) => ({ studioId: name, studioName: name, date: DAY }));
const at = (hour: number): Date => new Date(Date.parse(`${DAY}T00:00:00+11:00`) + hour * 3_600_000);
const entry = (kind: Entry['kind'], from: number, to: number): Entry => ({
  kind,
  id: kind,
  studioId: 'A',
  start: at(from),
  end: at(to),
  label: 'Sam',
  reference: null,
  email: null,
  isTest: false,
  isPublic: false,
  weeks: 1,
});
const booking = entry('booking', 10, 12);
const shown = (now = at(0)): CalendarContent => ({ columns: COLUMNS, entries: [booking, entry('hold', 14, 15)], now });
const cell = (column: number, hour: number): Cell => ({ column, hour });
/** Formats a span as "A 10+2": the studio, first hour and number of hours. */
const formatSpan = (drag: Drag | null): string =>
  drag === null ? 'none' : `${drag.span.studioId} ${drag.span.first.hour}+${drag.span.hours}`;
const drag = (
  from: Cell,
  to: Cell,
  taken: Entry | null,
  edge: 'start' | 'end' | null = null,
  what = shown(),
): string => {
  const begun = beginDrag(from, taken, edge, what);
  return formatSpan(begun && dragTo(begun, to, what));
};

test('free hours are chosen in the column where the drag began, up to what is taken', () => {
  expect(drag(cell(0, 7), cell(1, 8), null)).toBe('A 7+2');
  expect(drag(cell(0, 7), cell(0, 20), null)).toBe('A 7+3');
  expect(drag(cell(0, 11), cell(0, 13), null)).toBe('none');
});

test('a booking moves with the pointer, and its edges change its length', () => {
  expect(drag(cell(0, 11), cell(1, 13), booking)).toBe('B 12+2');
  expect(drag(cell(0, 11), cell(1, 13), booking, 'end')).toBe('A 10+4');
  expect(drag(cell(0, 10), cell(0, 8), booking, 'start')).toBe('A 8+4');
});

test('holds and sessions that are over are not taken, and a session that has begun only ends later', () => {
  expect(drag(cell(0, 14), cell(0, 15), entry('hold', 14, 15))).toBe('none');
  expect(drag(cell(0, 10), cell(0, 15), booking, null, shown(at(12)))).toBe('none');
  const running = shown(at(11));
  expect(drag(cell(0, 11), cell(1, 13), booking, null, running)).toBe('A 10+2');
  expect(drag(cell(0, 11), cell(0, 10), booking, 'end', running)).toBe('A 10+2');
  expect(drag(cell(0, 11), cell(0, 13), booking, 'end', running)).toBe('A 10+4');
});

test('a drag asks for what it chose, and a booking back in its place or over another for nothing', () => {
  const begun = beginDrag(cell(0, 11), booking, null, shown());
  if (begun === null) throw new Error('nothing was taken');
  const moved = dragTo(begun, cell(0, 12), shown());
  expect(toWish(moved, shown())).toMatchObject({ kind: 'move', entry: booking, span: { hours: 2 } });
  const over = dragTo(moved, cell(0, 14), shown());
  expect([formatSpan(over), toWish(over, shown())]).toEqual(['A 13+2', null]);
  expect(toWish(dragTo(moved, cell(0, 11), shown()), shown())).toBeNull();
  expect(toWish(beginDrag(cell(1, 3), null, null, shown()) ?? begun, shown())).toMatchObject({ kind: 'create' });
});
