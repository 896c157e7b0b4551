import { type CallAnswer, callFunction } from '#web/data/fetch-client.ts';
import { rest } from '#web/data/rest.ts';
import { rowsWith } from '#web/data/rows.ts';

/** A booking of an order. `place`: which of how many (`size`) it is; money in cents. */
export type SeriesBooking = {
  readonly place: number;
  readonly size: number;
  readonly reference: string;
  readonly start: Date;
  readonly end: Date;
  readonly status: string;
  readonly cents: number;
};

/** Reads the bookings of the order of this booking, earliest first; none for one that was made alone. */
export async function readSeries(reference: string): Promise<readonly SeriesBooking[]> {
  const { data, error } = await rest.rpc('order_of_booking', { reference });
  if (error) throw error;
  return rowsWith(data, 'place', 'size', 'booking_reference', 'start_time', 'end_time', 'status', 'cents').map(
    (row) => ({
      place: row.place,
      size: row.size,
      reference: row.booking_reference,
      start: new Date(row.start_time),
      end: new Date(row.end_time),
      status: row.status,
      cents: row.cents,
    }),
  );
}

/** Cancels all bookings of an order that are not over. Throws `AppError`. */
export function cancelSeries(
  bookingId: string,
  refund: 'full' | 'none' | 'terms',
  reason: string,
): Promise<CallAnswer<'staff-cancel-booking'>> {
  return callFunction('staff-cancel-booking', { bookingId, refund, reason, series: true });
}
