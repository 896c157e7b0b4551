import { type Column, inTheWay, resizeSpan, sameSpan, selectHours, shiftSpan, type Span, spanOfBusy } from './span.ts';
import type { Entry } from './queries.ts';
import { mayBecome, type Shown, whyFixed, type Wish } from './walk.ts';

/** A cell of the calendar. */
export type Cell = { readonly column: number; readonly hour: number };
/** What a pointer has taken: free hours from a cell on, or a booking, as a whole or at one edge. `span`: the hours there would be now. */
export type Drag = {
  readonly from: Cell;
  readonly booking: { readonly entry: Entry; readonly span: Span; readonly edge: 'start' | 'end' | null } | null;
  readonly span: Span;
};

/** Takes what is at a cell; null when it cannot be dragged. */
export function beginDrag(from: Cell, entry: Entry | null, edge: 'start' | 'end' | null, shown: Shown): Drag | null {
  const column = shown.columns[from.column];
  if (column === undefined) return null;
  if (entry === null) {
    const span = selectHours(column, from.hour, from.hour, shown.entries);
    return span === null ? null : { from, booking: null, span };
  }
  const span = whyFixed(entry, shown.now) === null ? spanOfBusy(entry) : null;
  return span === null ? null : { from, booking: { entry, span, edge }, span };
}

/** Drags on to another cell. Hours that cannot be leave the last ones. */
export function dragTo(drag: Drag, to: Cell, shown: Shown): Drag {
  const [here, there] = [shown.columns[drag.from.column], shown.columns[to.column]];
  if (here === undefined || there === undefined) return drag;
  const span = spanAt(drag, to.hour, here, there, shown);
  if (span === null) return drag;
  const { booking } = drag;
  return booking !== null && !mayBecome(booking.entry, booking.span, span, shown.now) ? drag : { ...drag, span };
}

function spanAt({ from, booking }: Drag, hour: number, here: Column, there: Column, shown: Shown): Span | null {
  const rows = hour - from.hour;
  if (booking === null) return selectHours(here, from.hour, hour, shown.entries);
  if (booking.edge !== null) return resizeSpan(booking.span, booking.edge, rows);
  return shiftSpan(booking.span, { rows, from: here, to: there });
}

/** What is asked for where a drag ends; null when nothing has changed, and when the hours are not free. */
export function wishOf({ booking, span }: Drag, { entries }: Shown): Wish | null {
  if (booking === null) return { kind: 'create', span };
  if (sameSpan(span, booking.span) || inTheWay(span, entries, booking.entry.id) !== null) return null;
  return { kind: 'move', entry: booking.entry, span };
}
