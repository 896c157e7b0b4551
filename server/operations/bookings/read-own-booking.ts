import { type BookingFacts, type BookingJson, readBooking, toBooking } from '../core/booking-rows.ts';
import { Refusal } from '../core/refusal.ts';
import type { Services } from '../core/services.ts';
import type { Queryable } from '#server/db/database.ts';

/**
 * Reads a booking of the caller, or the hold of its new hours: the one with the given id, or the newest confirmed one if the id is null.
 * Throws `Refusal('not_found')`.
 */
export async function readOwnBooking(
  { db }: Services,
  userId: string,
  bookingId: string | null,
): Promise<BookingFacts> {
  const booking = bookingId === null ? await newestConfirmed(db, userId) : await readBooking(db, bookingId);
  const owner = booking?.movesBooking ? await readBooking(db, booking.movesBooking) : booking;
  if (booking === null || owner?.userId !== userId) throw new Refusal('not_found', 'Booking not found');
  return booking;
}

async function newestConfirmed(db: Queryable, userId: string): Promise<BookingFacts | null> {
  const row = await db.queryRow<{ facts: BookingJson }>(
    `select private.booking_json(b) as facts from private.booking b
     where b.user_id = $1::uuid and b.status = 'confirmed' order by b.confirmed_at desc limit 1`,
    [userId],
  );
  return row && toBooking(row.facts);
}
