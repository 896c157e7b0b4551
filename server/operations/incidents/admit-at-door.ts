import { readOwnBooking } from '../bookings/read-own-booking.ts';
import { Refusal } from '../core/refusal.ts';
import { PIN_LINK } from '../mails/booking-mail.ts';
import type { Services } from '../core/services.ts';

/**
 * Admits the owner of a booking, and anyone with the signed link of its code mail, because they can already open the door. `need`:
 * completes "Please sign in to …" in the refusal. Throws `Refusal`: `not_signed_in`, `not_found`.
 */
export async function admitAtDoor(
  services: Services,
  caller: { readonly userId: string | null },
  { bookingId, token, need }: { bookingId: string; token: string | null; need: string },
): Promise<void> {
  if (token !== null && services.links.read(PIN_LINK, token, services.clock()) === bookingId) return;
  if (caller.userId === null) throw new Refusal('not_signed_in', `Please sign in to ${need}.`);
  await readOwnBooking(services, caller.userId, bookingId);
}
