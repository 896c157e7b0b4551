import type { Queryable } from '#server/db/database.ts';
import { type BookingFacts, readBooking } from './booking-rows.ts';
import { Refusal } from './refusal.ts';

/** Reads a booking that has access. Throws `Refusal`: `not_found` if it is cancelled or unknown, `not_confirmed` if it is unpaid. */
export async function requireConfirmed(db: Queryable, bookingId: string): Promise<BookingFacts> {
  const booking = await readBooking(db, bookingId);
  if (!booking || booking.status === 'cancelled') throw new Refusal('not_found', 'Booking not found');
  if (booking.status !== 'confirmed') throw new Refusal('not_confirmed', 'This booking hasn’t been paid yet.');
  return booking;
}
