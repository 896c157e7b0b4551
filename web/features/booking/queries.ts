import { dayBounds, type StudioDate } from '#rules/studio-time.ts';
import { supabase } from '#web/data/client.ts';
import { rowsWith } from '#web/data/rows.ts';
import type { Taken } from './selection.ts';

/** Taken spans of a studio, and the days they were read for. */
export type Availability = { readonly from: StudioDate; readonly to: StudioDate; readonly taken: readonly Taken[] };
/** A session is at most 24 labels long, 25 hours on the day the clocks go back. */
const LONGEST_MS = 25 * 3_600_000;

/**
 * Reads the bookings that overlap the days `from` to `to`, both included. The lower bound on the start lets the database use its index.
 * The server hides `user_id` in other customers' bookings.
 */
export async function readAvailability(
  studioId: string,
  days: { from: StudioDate; to: StudioDate },
  userId: string | null,
): Promise<Availability> {
  const from = dayBounds(days.from).start;
  const { data, error } = await supabase
    .from('bookings')
    .select('id,studio_id,start_time,end_time,status,user_id')
    .eq('studio_id', studioId)
    .neq('status', 'cancelled')
    .gte('start_time', new Date(from.getTime() - LONGEST_MS).toISOString())
    .lt('start_time', dayBounds(days.to).end.toISOString())
    .gt('end_time', from.toISOString());
  if (error) throw error;
  const rows = rowsWith(data, 'start_time', 'end_time', 'status');
  const isMine = (row: { user_id: string | null }): boolean => userId !== null && row.user_id === userId;
  const held = rows.flatMap((row) => (isMine(row) && row.status === 'pending' && row.id !== null ? [row.id] : []));
  const processing = await readProcessing(held);
  const taken = rows.map((row) => ({
    start: new Date(row.start_time),
    end: new Date(row.end_time),
    status: row.status,
    mine: isMine(row),
    processing: row.id !== null && processing.has(row.id),
  }));
  return { ...days, taken };
}

/** Returns which of the customer's unpaid bookings have a payment in process. */
async function readProcessing(bookingIds: readonly string[]): Promise<ReadonlySet<string>> {
  if (bookingIds.length === 0) return new Set();
  const { data, error } = await supabase
    .from('booking_payments')
    .select('booking_id')
    .in('booking_id', bookingIds)
    .eq('state', 'processing');
  if (error) throw error;
  return new Set(rowsWith(data, 'booking_id').map((row) => row.booking_id));
}
