import { addDays, dayBounds, daysBetween } from '#rules/studio-time.ts';
import { rest } from '../rest.ts';
import { rowsWith } from '../rows.ts';
import type { Days, Taken } from './taken.ts';

/** The taken spans of each studio. Studios without any are left out. */
type TakenByStudio = ReadonlyMap<string, readonly Taken[]>;
type StudioSpan = { readonly studio: string; readonly span: Taken };

/** The longest session: 24 hours of the grid, which take 25 hours on the day the clocks go back. */
const LONGEST_MS = 25 * 3_600_000;

/** The server answers with at most a thousand rows, and a room has at most 24 bookings a day. */
const ROWS = 1_000;
const A_DAY = 24;
/** Days of one room that fit into an answer even if every hour is booked. One day is subtracted because a booking may have begun the day before. */
const DAYS_AT_ONCE = Math.floor(ROWS / A_DAY) - 1;

/**
 * Reads the bookings and closures of several rooms that overlap these days. Uses one query, unless the rows of all rooms and days could
 * exceed one answer.
 */
export async function readRooms(
  studioIds: readonly string[],
  days: Days,
  userId: string | null,
): Promise<TakenByStudio> {
  const atOnce = Math.max(1, Math.floor(ROWS / (A_DAY * (daysBetween(days.from, days.to) + 2))));
  const groups = Array.from({ length: Math.ceil(studioIds.length / atOnce) }, (_, index) =>
    studioIds.slice(index * atOnce, (index + 1) * atOnce),
  );
  const answers = await Promise.all(groups.map((group) => readDays(group, days, userId)));
  return new Map(answers.flatMap((answer) => [...answer]));
}

/**
 * Reads the bookings and closures of one or a few studios that overlap these days. Many days are read in parts; a span that overlaps two
 * parts is returned once. The server hides `user_id` in other customers' bookings.
 */
export async function readDays(
  studios: string | readonly string[],
  days: Days,
  userId: string | null,
): Promise<TakenByStudio> {
  const parts = await Promise.all(
    splitDays(days).map(async ({ from, to }, index) => {
      const { start } = dayBounds(from);
      const spans = await readTaken(studios, start, dayBounds(to).end, userId);
      return index === 0 ? spans : spans.filter(({ span }) => span.start >= start);
    }),
  );
  const byStudio = Map.groupBy(parts.flat(), ({ studio }) => studio);
  return new Map([...byStudio].map(([studio, list]) => [studio, list.map(({ span }) => span)]));
}

function splitDays({ from, to }: Days): Days[] {
  const last = addDays(from, DAYS_AT_ONCE - 1);
  return last >= to ? [{ from, to }] : [{ from, to: last }, ...splitDays({ from: addDays(last, 1), to })];
}

/** Throws if an answer may lack rows, because the hours of missing rows would look free. */
function whole<T>(rows: readonly T[]): readonly T[] {
  if (rows.length >= ROWS) throw new Error('the answer may lack rows, because it has as many as fit');
  return rows;
}

/**
 * Reads the bookings and closures of one or several studios that overlap a span. The lower bound on the start of bookings lets the database
 * use its index. Throws if there are more rows than one answer can hold.
 */
async function readTaken(
  studios: string | readonly string[],
  from: Date,
  to: Date,
  userId: string | null,
): Promise<StudioSpan[]> {
  const all = rest
    .from('bookings')
    .select('id,studio_id,start_time,end_time,status,user_id')
    .neq('status', 'cancelled')
    .gte('start_time', new Date(from.getTime() - LONGEST_MS).toISOString())
    .lt('start_time', to.toISOString())
    .gt('end_time', from.toISOString());
  const [{ data, error }, closed] = await Promise.all([
    typeof studios === 'string' ? all.eq('studio_id', studios) : all.in('studio_id', studios),
    readClosed(studios, from, to),
  ]);
  if (error) throw error;
  const rows = rowsWith(whole(data), 'studio_id', 'start_time', 'end_time', 'status');
  const isMine = (row: { user_id: string | null }): boolean => userId !== null && row.user_id === userId;
  const held = rows.flatMap((row) => (isMine(row) && row.status === 'pending' && row.id !== null ? [row.id] : []));
  const processing = await readProcessing(held);
  const toTaken = (row: (typeof rows)[number]): Taken => ({
    start: new Date(row.start_time),
    end: new Date(row.end_time),
    status: row.status,
    mine: isMine(row),
    processing: row.id !== null && processing.has(row.id),
  });
  return [...rows.map((row) => ({ studio: row.studio_id, span: toTaken(row) })), ...closed];
}

/** Reads the closed hours that overlap a span. */
async function readClosed(studios: string | readonly string[], from: Date, to: Date): Promise<StudioSpan[]> {
  const all = rest
    .from('closed_hours')
    .select('studio_id,start_time,end_time')
    .lt('start_time', to.toISOString())
    .gt('end_time', from.toISOString());
  const { data, error } = await (typeof studios === 'string'
    ? all.eq('studio_id', studios)
    : all.in('studio_id', studios));
  if (error) throw error;
  return rowsWith(whole(data), 'studio_id', 'start_time', 'end_time').map((row) => ({
    studio: row.studio_id,
    span: { start: new Date(row.start_time), end: new Date(row.end_time), status: 'closed', mine: false },
  }));
}

/** Returns which of the customer's unpaid bookings have a payment that is processing. */
async function readProcessing(bookingIds: readonly string[]): Promise<ReadonlySet<string>> {
  if (bookingIds.length === 0) return new Set();
  const { data, error } = await rest
    .from('booking_payments')
    .select('booking_id')
    .in('booking_id', bookingIds)
    .eq('state', 'processing');
  if (error) throw error;
  return new Set(rowsWith(data, 'booking_id').map((row) => row.booking_id));
}
