import { changeTerms } from '#rules/cancellation.ts';
import { slotsWithMore, toSpan } from '#rules/slots.ts';
import { constants as studio } from '#rules/venue.ts';
import type { Transaction } from '#server/db/database.ts';
import type { BookingFacts } from '../core/booking-rows.ts';
import { Refusal } from '../core/refusal.ts';
import { endsOnlyLater, type Place } from '../moves/movable.ts';
import { readBookingRules } from '../settings/booking-rules.ts';
import { freeCancelHours } from './cancel.ts';
import { type CheckoutFacts, customerBlocked, requireVerified } from './checkout-facts.ts';
import { readOwnBooking } from './read-own-booking.ts';
import type { Services } from '../core/services.ts';

type OwnMove = Place & { readonly customer: string; readonly onlyLater?: boolean };

/**
 * The rule for all changes that customers make to their bookings. They need a verified ID and must not be blocked. They can choose other
 * hours or another room while the terms frozen with the booking allow it, and a later end until the session ends. Throws `Refusal`.
 */
export async function requireOwnMove(tx: Transaction, booking: BookingFacts, to: OwnMove, now: Date): Promise<void> {
  const later = endsOnlyLater(booking, to);
  if (to.onlyLater === true && !later)
    throw new Refusal('already_done', 'This booking has changed in the meantime. Please look at it again.');
  const freeHours = await freeCancelHours(tx, booking.id);
  const span = {
    start: booking.startTime,
    end: booking.endTime,
    termsStart: booking.termsStart,
  };
  const terms = changeTerms(span, now, freeHours);
  if (!(later ? terms.extend : terms.move))
    throw new Refusal(
      'too_late',
      `Bookings can be moved up to ${freeHours} hours before the start. Please contact us instead.`,
    );
  const row = await tx.queryRow<{
    facts: Pick<CheckoutFacts, 'mailConfirmed' | 'profile' | 'verification' | 'blocked'>;
  }>(
    `select private.checkout_json($1::uuid, $2::uuid, null, 0, $3::timestamptz)
       || jsonb_build_object('blocked', private.is_blocked($1::uuid, $3::timestamptz)) as facts`,
    [to.customer, to.studioId, now],
  );
  if (!row) throw new Error('checkout_json returned no row');
  if (row.facts.blocked) throw customerBlocked(await readBookingRules(tx));
  requireVerified(to, row.facts, now);
}

/**
 * Returns the place of the customer's own booking when it ends `hours` later. `from` is the end on the customer's screen, so that a
 * repeated call does not add the hours twice; null for the current end. Throws `Refusal`.
 */
export async function readExtension(
  services: Services,
  request: {
    readonly bookingId: string;
    readonly customer: string;
    readonly hours: number;
    readonly from: Date | null;
  },
): Promise<Place> {
  const booking = await readOwnBooking(services, request.customer, request.bookingId);
  const { startTime } = booking;
  const slots = slotsWithMore(startTime, request.from ?? booking.endTime, request.hours);
  if (slots === null) throw new Refusal('invalid_request', 'The session doesn’t end at that time.', { field: 'from' });
  if (slots.length > studio.maxHours)
    throw new Refusal('invalid_request', `A booking can be up to ${studio.maxHours} hours long.`, { field: 'hours' });
  return { studioId: booking.studioId, startTime, endTime: toSpan(slots).end };
}
