import { nextSlot, type Slot, slotKey, slotsOfSpan, toSpan } from '#rules/slots.ts';
import {
  addDays,
  daysBetween,
  formatStudioDateTime,
  formatStudioTime,
  getWeekday,
  hourExists,
  slotEnd,
  slotStart,
  studioDate,
  type StudioDate,
  studioHour,
} from '#rules/studio-time.ts';
import { constants } from '#rules/venue.ts';

/** A column of the calendar: a day of a studio. */
export type Column = { readonly studioId: string; readonly studioName: string; readonly date: StudioDate };
/** Consecutive hours of a studio. */
export type Span = { readonly studioId: string; readonly first: Slot; readonly hours: number };
/** Something that occupies hours of a studio. */
export type Busy = { readonly id: string; readonly studioId: string; readonly start: Date; readonly end: Date };
export type View = 'day' | 'week';

/** The number of hours in a column. */
export const HOURS = 24;

/** Returns the Monday of a day's week. */
export function getMonday(date: StudioDate): StudioDate {
  return addDays(date, -((getWeekday(date) + 6) % 7));
}

/** Returns the first day that a view shows, and the number of days. */
export function getDays(view: View, day: StudioDate): { readonly first: StudioDate; readonly count: number } {
  return view === 'day' ? { first: day, count: 1 } : { first: getMonday(day), count: 7 };
}

/**
 * Returns the columns of a view. A day has a column for each studio. A week has a column for each day of one studio, or for each day and
 * studio (null).
 */
export function getColumns(
  view: View,
  day: StudioDate,
  studios: readonly { readonly id: string; readonly name: string }[],
  studioId: string | null,
): Column[] {
  const { first, count } = getDays(view, day);
  const shown = view === 'day' || studioId === null ? studios : studios.filter(({ id }) => id === studioId);
  return Array.from({ length: count }, (_, index) => addDays(first, index)).flatMap((date) =>
    shown.map(({ id, name }) => ({ studioId: id, studioName: name, date })),
  );
}

/** Returns the position of an instant in the column of a day, in rows from its upper edge. An hour that comes twice has one row. */
export function getRow(at: Date, date: StudioDate): number {
  const day = studioDate(at);
  if (day !== date) return day < date ? 0 : HOURS;
  const hour = studioHour(at);
  const start = slotStart(date, hour);
  if (start === null) return hour;
  const end = slotEnd(date, hour);
  return hour + (at.getTime() - start.getTime()) / (end.getTime() - start.getTime());
}

/** Returns the rows that something occupies in the column of a day; null if it occupies none. */
export function getPlace(
  { start, end }: { start: Date; end: Date },
  date: StudioDate,
): { top: number; rows: number } | null {
  const top = getRow(start, date);
  const bottom = getRow(end, date);
  return bottom > top ? { top, rows: bottom - top } : null;
}

/** Returns the hours of a span, first to last. */
function toSlots({ first, hours }: Span): Slot[] {
  const slots = [first];
  for (let slot = nextSlot(first); slots.length < hours; slot = nextSlot(slot)) slots.push(slot);
  return slots;
}

/** Returns when a span starts and ends. */
export function getTimes(span: Span): { start: Date; end: Date } {
  return toSpan(toSlots(span));
}

/** Returns the span of a booking; null unless its hours match the grid. */
export function spanOfBusy({ studioId, start, end }: Busy): Span | null {
  const slots = slotsOfSpan(start, end);
  const first = slots?.[0];
  return slots && first ? { studioId, first, hours: slots.length } : null;
}

/** Returns the first entry that overlaps a span, except the one with the id `except`. Null if there is none. */
export function inTheWay<One extends Busy>(span: Span, busy: readonly One[], except: string | null = null): One | null {
  const { start, end } = getTimes(span);
  return (
    busy.find(
      (entry) => entry.id !== except && entry.studioId === span.studioId && entry.start < end && entry.end > start,
    ) ?? null
  );
}

/** Whether two spans have the same hours in the same studio. */
export function sameSpan(a: Span, b: Span): boolean {
  return a.studioId === b.studioId && a.hours === b.hours && slotKey(a.first) === slotKey(b.first);
}

/**
 * Returns the hours from one row of a column to another, upwards or downwards, up to the first hour that is not free. Hours that do not
 * exist are skipped. Null if the first hour is not free.
 */
export function selectHours(column: Column, from: number, to: number, busy: readonly Busy[]): Span | null {
  const step = to < from ? -1 : 1;
  const chosen: number[] = [];
  for (let hour = from; hour !== to + step; hour += step) {
    if (!hourExists(column.date, hour)) continue;
    const span = { studioId: column.studioId, first: { date: column.date, hour }, hours: 1 };
    if (inTheWay(span, busy) !== null) break;
    chosen.push(hour);
  }
  return chosen.length === 0
    ? null
    : { studioId: column.studioId, first: { date: column.date, hour: Math.min(...chosen) }, hours: chosen.length };
}

/** Returns a span moved by rows, and from one column to another. Hours that the clocks skip are left out. */
export function shiftSpan(span: Span, by: { readonly rows: number; readonly from: Column; readonly to: Column }): Span {
  const day = addDays(span.first.date, daysBetween(by.from.date, by.to.date));
  return { ...span, studioId: by.to.studioId, first: stepSlot({ date: day, hour: span.first.hour }, by.rows) };
}

/** Returns a span whose end or start is moved by rows. It has at least one hour, and at most as many as a booking can have. */
export function resizeSpan(span: Span, edge: 'start' | 'end', rows: number): Span {
  const clamp = (hours: number): number => Math.min(Math.max(hours, 1), constants.maxHours);
  if (edge === 'end') return { ...span, hours: clamp(span.hours + rows) };
  const hours = clamp(span.hours - rows);
  return { ...span, hours, first: stepSlot(span.first, span.hours - hours) };
}

/** Returns the hour that is `by` existing hours later, or earlier if `by` is negative. */
function stepSlot(slot: Slot, by: number): Slot {
  let at = hourExists(slot.date, slot.hour) ? slot : nextSlot(slot);
  for (let remaining = by; remaining > 0; remaining -= 1) at = nextSlot(at);
  for (let remaining = by; remaining < 0; remaining += 1) at = previousSlot(at);
  return at;
}

function previousSlot({ date, hour }: Slot): Slot {
  const before = hour === 0 ? { date: addDays(date, -1), hour: 23 } : { date, hour: hour - 1 };
  return hourExists(before.date, before.hour) ? before : previousSlot(before);
}

/** Returns the column and row at a point of the area that the columns fill. Points outside count as points on its edge. */
export function cellAt(
  point: { readonly x: number; readonly y: number },
  area: { readonly left: number; readonly top: number; readonly width: number; readonly height: number },
  columns: number,
): { readonly column: number; readonly hour: number } {
  const part = (offset: number, size: number, count: number): number =>
    Math.min(Math.max(Math.floor((offset / size) * count), 0), count - 1);
  return {
    column: part(point.x - area.left, area.width, columns),
    hour: part(point.y - area.top, area.height, HOURS),
  };
}

/** Formats a span: "Studio B, Sat 21 Nov 2026, 8 pm to 10 pm". */
export function describeSpan(span: Span, studioName: string): string {
  const { start, end } = getTimes(span);
  const until = studioDate(end) === studioDate(start) || formatStudioTime(end) === '12 am' ? '' : ' the next day';
  return `${studioName}, ${formatStudioDateTime(start)} to ${formatStudioTime(end)}${until}`;
}
