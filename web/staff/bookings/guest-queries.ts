import type { StaffBooking } from '#web/data/bookings/booking.ts';
import { type ListedBooking, parseListed } from '#web/data/bookings/listed-bookings.ts';
import { rest } from '#web/data/rest.ts';

/** A booking of a person without an account. */
export type GuestBooking = ListedBooking & Pick<StaffBooking, 'customer'>;

/** The highest number of bookings that a search reads. */
export const GUESTS_SHOWN = 50;

/** Reads the bookings without an account whose name, address or phone number contains every word, latest first. */
export async function searchGuestBookings(words: string): Promise<GuestBooking[]> {
  const { data, error } = await rest.rpc('search_guest_bookings', { words, most: GUESTS_SHOWN });
  if (error) throw error;
  return parseListed(data).map((row) => ({
    ...row,
    customer: { name: row.guestName, email: row.guestEmail, phone: row.contactPhone },
  }));
}
