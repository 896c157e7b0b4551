import type { StaffBooking } from '#web/data/bookings/booking.ts';
import { type ListedBooking, parseListed } from '#web/data/bookings/listed-bookings.ts';
import { rest } from '#web/data/rest.ts';

/** A booking of somebody without an account. */
export type GuestBooking = ListedBooking & Pick<StaffBooking, 'customer'>;

/** How many bookings a search reads. */
export const GUESTS_SHOWN = 50;

/** Reads the bookings without an account whose name, address or phone number has every word, the latest hours first. */
export async function searchGuestBookings(words: string): Promise<GuestBooking[]> {
  const { data, error } = await rest.rpc('search_guest_bookings', { words, most: GUESTS_SHOWN });
  if (error) throw error;
  return parseListed(data).map((row) => ({
    ...row,
    customer: { name: row.guestName, email: row.guestEmail, phone: row.contactPhone },
  }));
}
