import { parseRow, type Series } from '#web/data/bookings/booking.ts';
import { type CallAnswer, callFunction } from '#web/data/fetch-client.ts';
import { rest } from '#web/data/rest.ts';
import { rowsWith } from '#web/data/rows.ts';

/** Reads the series of this booking; null for a single booking. */
export async function readSeries(reference: string): Promise<Series | null> {
  const { data, error } = await rest.rpc('order_of_booking', { reference });
  if (error) throw error;
  const columns = [
    'place',
    'size',
    'booking_id',
    'booking_reference',
    'start_time',
    'end_time',
    'status',
    'cents',
  ] as const;
  const bookings = rowsWith(data, ...columns).map(
    ({ booking_id: id, booking_reference: reference, cents: finalCents, ...row }) => ({
      ...parseRow(row),
      id,
      reference,
      finalCents,
    }),
  );
  const [first] = bookings;
  return first === undefined ? null : { id: first.id, size: first.size, bookings };
}

/** Cancels all bookings of a series that have not ended. Throws `AppError`. */
export function cancelSeries(
  bookingId: string,
  refund: 'full' | 'none' | 'terms',
  reason: string,
): Promise<CallAnswer<'staff-cancel-booking'>> {
  return callFunction('staff-cancel-booking', { bookingId, refund, reason, series: true });
}
