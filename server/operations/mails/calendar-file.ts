import type { BusinessSettings } from '#rules/business/business.ts';
import { calendar } from '#server/mails/booking-parts.ts';
import { callJson } from '../core/call-sql.ts';
import { readBooking } from '../core/booking-rows.ts';
import { Refusal } from '../core/refusal.ts';
import { forMail } from './booking-mail.ts';
import type { Services } from '../core/services.ts';

/** Returns the calendar entry of the customer's own booking, as attached to its mails. Throws `Refusal`. */
export async function readCalendarFile(
  { db }: Services,
  { bookingId, userId }: { readonly bookingId: string; readonly userId: string },
): Promise<string> {
  const booking = await readBooking(db, bookingId);
  if (booking?.userId !== userId) throw new Refusal('not_found', 'Booking not found');
  if (booking.status === 'pending') throw new Refusal('not_confirmed', 'This booking hasn’t been paid yet.');
  const business = await callJson(db, 'business_settings', {}, (json: BusinessSettings) => json);
  if (business === null) throw new Error('there are no settings');
  const method = booking.status === 'cancelled' ? 'CANCEL' : 'PUBLISH';
  return calendar(forMail(booking, null, business), method).content;
}
