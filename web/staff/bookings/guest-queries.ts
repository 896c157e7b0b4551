import { rest } from '#web/data/rest.ts';
import { rowsWith } from '#web/data/rows.ts';

/** A booking of somebody without an account; the price in dollars. */
export type GuestBooking = {
  readonly id: string;
  readonly reference: string;
  readonly studio_name: string;
  readonly start_time: string;
  readonly end_time: string;
  readonly status: string;
  readonly final_cost: number;
  readonly guest_name: string | null;
  readonly guest_email: string | null;
  readonly contact_phone: string | null;
};

/** How many bookings a search reads. */
export const GUESTS_SHOWN = 50;

/** Reads the bookings without an account whose name, address or phone number has every word, the latest hours first. */
export async function searchGuestBookings(words: string): Promise<GuestBooking[]> {
  const { data, error } = await rest.rpc('search_guest_bookings', { words, most: GUESTS_SHOWN });
  if (error) throw error;
  return rowsWith(data, 'id', 'reference', 'studio_name', 'start_time', 'end_time', 'status', 'final_cost');
}
