import { type Column, inTheWay, resizeSpan, sameSpan, selectHours, shiftSpan, type Span, spanOfBusy } from './span.ts';
import type { Entry } from './queries.ts';
import { mayBecome, type CalendarContent, whyFixed, type Wish } from './walk.ts';

/** A cell of the calendar. */
export type Cell = { readonly column: number; readonly hour: number };
/**
 * What a pointer is dragging: free hours starting at a cell, or a booking, either as a whole or at one edge. `span`: the hours that would
 * result now.
 */
export type Drag = {
  readonly from: Cell;
  readonly booking: { readonly entry: Entry; readonly span: Span; readonly edge: 'start' | 'end' | null } | null;
  readonly span: Span;
};

/** Begins to drag the content of a cell; null if it cannot be dragged. */
export function beginDrag(
  from: Cell,
  entry: Entry | null,
  edge: 'start' | 'end' | null,
  shown: CalendarContent,
): Drag | null {
  const column = shown.columns[from.column];
  if (column === undefined) return null;
  if (entry === null) {
    const span = selectHours(column, from.hour, from.hour, shown.entries);
    return span === null ? null : { from, booking: null, span };
  }
  const span = whyFixed(entry, shown.now) === null ? spanOfBusy(entry) : null;
  return span === null ? null : { from, booking: { entry, span, edge }, span };
}

/** Continues a drag at another cell. If the resulting hours are not allowed, the previous ones are kept. */
export function dragTo(drag: Drag, to: Cell, shown: CalendarContent): Drag {
  const [here, there] = [shown.columns[drag.from.column], shown.columns[to.column]];
  if (here === undefined || there === undefined) return drag;
  const span = spanAt(drag, to.hour, here, there, shown);
  if (span === null) return drag;
  const { booking } = drag;
  return booking !== null && !mayBecome(booking.entry, booking.span, span, shown.now) ? drag : { ...drag, span };
}

function spanAt(
  { from, booking }: Drag,
  hour: number,
  here: Column,
  there: Column,
  shown: CalendarContent,
): Span | null {
  const rows = hour - from.hour;
  if (booking === null) return selectHours(here, from.hour, hour, shown.entries);
  if (booking.edge !== null) return resizeSpan(booking.span, booking.edge, rows);
  return shiftSpan(booking.span, { rows, from: here, to: there });
}

/** Returns the request at the end of a drag. Null if nothing has changed or the hours are not free. */
export function toWish({ booking, span }: Drag, { entries }: CalendarContent): Wish | null {
  if (booking === null) return { kind: 'create', span };
  if (sameSpan(span, booking.span) || inTheWay(span, entries, booking.entry.id) !== null) return null;
  return { kind: 'move', entry: booking.entry, span };
}
