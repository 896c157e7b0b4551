import { slotLabel } from '#rules/slots.ts';
import { formatStudioDate, formatStudioTime, hourExists, slotEnd, slotStart } from '#rules/studio-time.ts';
import type { Entry } from './queries.ts';
import {
  type Column,
  describeSpan,
  HOURS,
  inTheWay,
  getPlace,
  resizeSpan,
  sameSpan,
  selectHours,
  shiftSpan,
  type Span,
  spanOfBusy,
  getTimes,
} from './span.ts';

/** The content of the calendar. */
export type CalendarContent = {
  readonly columns: readonly Column[];
  readonly entries: readonly Entry[];
  readonly now: Date;
};
/** A booking that is being moved, and its new hours. `column`: the column where it is now. */
type Carried = { readonly entry: Entry; readonly from: Span; readonly span: Span; readonly column: number };
/** The position of the keyboard. `anchor`: the row at which a selection began. */
export type Walk = {
  readonly column: number;
  readonly hour: number;
  readonly anchor: number | null;
  readonly carried: Carried | null;
};
/** What a key requests, apart from moving. */
export type Wish =
  | { readonly kind: 'create'; readonly span: Span }
  | { readonly kind: 'move'; readonly entry: Entry; readonly span: Span }
  | { readonly kind: 'open'; readonly entry: Entry }
  | { readonly kind: 'page'; readonly by: -1 | 1 };
/** `say`: an announcement for screen readers, in addition to the cell's own description. */
export type Pressed = { readonly walk: Walk; readonly wish?: Wish; readonly say?: string };

const ROWS: Readonly<Record<string, number>> = { ArrowUp: -1, ArrowDown: 1 };
const COLUMNS: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1 };

/** Returns what a key does in the calendar; null if it does nothing. */
export function press(walk: Walk, key: string, shift: boolean, shown: CalendarContent): Pressed | null {
  return walk.carried === null
    ? pressWalking(walk, key, shift, shown)
    : pressCarrying(walk, walk.carried, key, shift, shown);
}

function pressWalking(walk: Walk, key: string, shift: boolean, shown: CalendarContent): Pressed | null {
  const column = shown.columns[walk.column];
  if (column === undefined) return null;
  const rows = ROWS[key];
  if (rows !== undefined) return shift ? select(walk, column, rows, shown) : { walk: stepTo(walk, walk.hour + rows) };
  const columns = COLUMNS[key];
  if (columns !== undefined)
    return { walk: { ...walk, anchor: null, column: clamp(walk.column + columns, shown.columns.length) } };
  if (key === 'Home') return { walk: stepTo(walk, 0) };
  if (key === 'End') return { walk: stepTo(walk, HOURS - 1) };
  if (key === 'PageUp' || key === 'PageDown')
    return { walk: { ...walk, anchor: null }, wish: { kind: 'page', by: key === 'PageUp' ? -1 : 1 } };
  if (key === 'Escape')
    return walk.anchor === null ? null : { walk: { ...walk, anchor: null }, say: 'Selection cleared.' };
  if (key === 'Enter' || key === ' ') return choose(walk, column, key === 'Enter', shown);
  return null;
}

const clamp = (at: number, count: number): number => Math.min(Math.max(at, 0), count - 1);
const stepTo = (walk: Walk, hour: number): Walk => ({ ...walk, anchor: null, hour: clamp(hour, HOURS) });

/** Extends or reduces the selection, as far as the hours are free. */
function select(walk: Walk, column: Column, rows: number, shown: CalendarContent): Pressed {
  const anchor = walk.anchor ?? walk.hour;
  const hour = clamp(walk.hour + rows, HOURS);
  if (entryAt(column, hour, shown.entries) !== null) return { walk, say: 'The next hour is not free.' };
  const span = selectHours(column, anchor, hour, shown.entries);
  if (span === null) return { walk, say: 'These hours are not free.' };
  return { walk: { ...walk, anchor, hour }, say: `Selected: ${describeSpan(span, column.studioName)}.` };
}

function choose(walk: Walk, column: Column, mayCarry: boolean, shown: CalendarContent): Pressed {
  const entry = entryAt(column, walk.hour, shown.entries);
  if (entry === null) {
    const span = selectHours(column, walk.anchor ?? walk.hour, walk.hour, shown.entries);
    return span === null ? { walk, say: 'The clocks skip this hour.' } : { walk, wish: { kind: 'create', span } };
  }
  if (entry.kind === 'closure' || !mayCarry) return { walk, wish: { kind: 'open', entry } };
  const from = whyFixed(entry, shown.now) === null ? spanOfBusy(entry) : null;
  if (from === null)
    return {
      walk,
      say: `${whyFixed(entry, shown.now) ?? 'This booking cannot be moved here.'} Press Space to open it.`,
    };
  const carried = { entry, from, span: from, column: walk.column };
  return {
    walk: { ...walk, anchor: null, carried },
    say: `Picked up ${entry.label}, ${describeSpan(from, column.studioName)}. ${CARRY_HELP}`,
  };
}

const CARRY_HELP = 'Arrow keys move it, Shift with up or down changes its end, Enter drops it, and Escape cancels.';

/** Returns why an entry cannot be moved; null if it can. */
export function whyFixed(entry: Entry, now: Date): string | null {
  if (entry.kind === 'closure') return 'Closed hours cannot be moved. Reopen them and close others.';
  if (entry.kind === 'hold') return 'An unpaid booking cannot be moved.';
  return entry.end <= now ? 'This session is over.' : null;
}

function pressCarrying(
  walk: Walk,
  carried: Carried,
  key: string,
  shift: boolean,
  shown: CalendarContent,
): Pressed | null {
  const still: Walk = { ...walk, carried: null };
  if (key === 'Escape') return { walk: still, say: 'The booking was not moved.' };
  if (key === 'Enter' || key === ' ') {
    if (sameSpan(carried.span, carried.from)) return { walk: still, say: 'The booking was not moved.' };
    const blocking = inTheWay(carried.span, shown.entries, carried.entry.id);
    if (blocking !== null) return { walk, say: `It cannot be dropped here, because ${blocking.label} is in the way.` };
    return { walk: still, wish: { kind: 'move', entry: carried.entry, span: carried.span } };
  }
  const next = carryTo(carried, key, shift, shown);
  if (next === null) return key.startsWith('Arrow') ? { walk, say: 'It cannot move further.' } : null;
  const column = shown.columns[next.column];
  const blocking = inTheWay(next.span, shown.entries, next.entry.id);
  const say = `${describeSpan(next.span, column?.studioName ?? '')}${blocking === null ? '' : `. In the way: ${blocking.label}`}.`;
  return { walk: { ...walk, column: next.column, hour: next.span.first.hour, carried: next }, say };
}

function carryTo(carried: Carried, key: string, shift: boolean, { columns, now }: CalendarContent): Carried | null {
  const rows = ROWS[key];
  const here = columns[carried.column];
  if (here === undefined) return null;
  if (rows !== undefined && shift)
    return fitting({ ...carried, span: resizeSpan(carried.span, 'end', rows) }, columns, now);
  if (rows !== undefined)
    return fitting({ ...carried, span: shiftSpan(carried.span, { rows, from: here, to: here }) }, columns, now);
  const at = carried.column + (COLUMNS[key] ?? 0);
  const there = columns[at];
  if (at === carried.column || there === undefined) return null;
  return fitting(
    { ...carried, column: at, span: shiftSpan(carried.span, { rows: 0, from: here, to: there }) },
    columns,
    now,
  );
}

/** Returns the carried booking if it may be there: a booking stays on a day that is shown, and a session that has begun can only end later. */
function fitting(carried: Carried, columns: readonly Column[], now: Date): Carried | null {
  const { entry, span, from, column } = carried;
  const date = columns[column]?.date;
  if (date === undefined || getPlace(getTimes(span), date) === null) return null;
  return mayBecome(entry, from, span, now) ? carried : null;
}

/** Whether a booking may have these hours. A session that has begun keeps its studio and start, and can only end later. */
export function mayBecome(entry: Entry, from: Span, to: Span, now: Date): boolean {
  return entry.start > now || (sameSpan({ ...to, hours: from.hours }, from) && to.hours >= from.hours);
}

/** Returns the entry at an hour of a column. */
function entryAt({ studioId, date }: Column, hour: number, entries: readonly Entry[]): Entry | null {
  const start = slotStart(date, hour);
  if (start === null) return null;
  const end = slotEnd(date, hour);
  return entries.find((entry) => entry.studioId === studioId && entry.start < end && entry.end > start) ?? null;
}

/** Returns how a screen reader announces a cell. */
export function describeCell(column: Column, hour: number, entries: readonly Entry[]): string {
  const where = `${column.studioName}, ${formatStudioDate(column.date, 'medium')}, ${slotLabel(hour)}`;
  if (!hourExists(column.date, hour)) return `${where}: the clocks skip this hour`;
  const entry = entryAt(column, hour, entries);
  if (entry === null) return `${where}: free`;
  const times = `${formatStudioTime(entry.start)} to ${formatStudioTime(entry.end)}`;
  if (entry.kind === 'closure') return `${where}: closed ${times}, ${entry.label}`;
  return `${where}: ${entry.kind === 'hold' ? 'held for ' : ''}${entry.label}, ${times}`;
}
