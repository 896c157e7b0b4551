import type { LinkSigner } from '#server/crypto/link-signer.ts';
import type { Clock } from '#server/http/caller.ts';
import type { BookingContext } from '../bookings/context.ts';
import { readOwnBooking } from '../bookings/read-own-booking.ts';
import { Refusal } from '../core/refusal.ts';
import { PIN_LINK } from '../mails/booking-mail.ts';

/** What it takes to recognise somebody at the door of a booking. */
export type AtDoor = { readonly booking: BookingContext; readonly links: LinkSigner; readonly clock: Clock };

/**
 * Admits the owner of a booking and everybody with the signed link of its code mail, because they can open the door. `need`: what they are refused, for people.
 * Throws `Refusal`: `not_signed_in`, `not_found`.
 */
export async function admitAtDoor(
  { booking, links, clock }: AtDoor,
  caller: { readonly userId: string | null },
  { bookingId, token, need }: { bookingId: string; token: string | null; need: string },
): Promise<void> {
  if (token !== null && links.read(PIN_LINK, token, clock()) === bookingId) return;
  if (caller.userId === null) throw new Refusal('not_signed_in', `Please sign in to ${need}.`);
  await readOwnBooking(booking, caller.userId, bookingId);
}
