import { linkHoldEnd } from '#rules/payment-link.ts';
import type { BookingFacts } from '../core/booking-rows.ts';
import { failpoint } from '../core/failpoint.ts';
import { Refusal } from '../core/refusal.ts';
import { startDeadline } from '../core/timeout.ts';
import { holdMinutesOf, readBookingRules } from '../settings/booking-rules.ts';
import type { BookingContext } from './context.ts';
import { openLink } from '../payments/open-link.ts';
import { requireConcession } from '../core/concessions.ts';
import { newPrice, readRates, readSpan } from './price.ts';
import { releaseInTheWay } from './release-expired.ts';
import { hoursTaken, readTaken } from '../core/taken-hours.ts';
import { findRepeated, type NewStaffBooking, storeBooking, type StaffBooking } from './store-staff-booking.ts';

/** `url`: where the customer pays; null when there is nothing to pay. `pending`: the provider has not answered yet; the mail has the link. */
export type StaffBooked = {
  readonly bookingId: string;
  readonly reference: string;
  readonly url: string | null;
  readonly pending: boolean;
};

/** How often the hours are tried: expired holds in the way are released in between. */
const ROUNDS = 3;

/**
 * Books hours for an account or a guest. With a link the hours are held until the customer pays; the link is mailed too. A free booking, and
 * one that was paid elsewhere, is confirmed at once. A repeated call returns the same booking. Throws `Refusal`.
 */
export async function bookForStaff(context: BookingContext, wanted: StaffBooking): Promise<StaffBooked> {
  if (wanted.payment !== 'link') requireConcession(wanted.money, { kind: wanted.payment });
  const timeLeft = startDeadline(context.settings.answerWithinMs);
  const booking = (await findRepeated(context.db, wanted)) ?? (await claim(context, wanted, timeLeft));
  failpoint('staff-booking.after.commit');
  const answer = { bookingId: booking.id, reference: booking.reference };
  if (wanted.payment !== 'link' || booking.status !== 'pending') return { ...answer, url: null, pending: false };
  const url = await openLink(context, booking, wanted.customerEmail, timeLeft());
  return { ...answer, url, pending: url === null };
}

async function claim(context: BookingContext, wanted: StaffBooking, timeLeft: () => number): Promise<BookingFacts> {
  for (let round = 0; round < ROUNDS; round += 1) {
    const now = context.clock();
    const made = await storeBooking(context, await price(context, wanted, now), now);
    if (made !== null) return made;
    // The same call may have been faster.
    const repeated = await findRepeated(context.db, wanted);
    if (repeated !== null) return repeated;
    const taken = await readTaken(context.db, wanted);
    const expired = taken.filter(
      (one) => one.status === 'pending' && Date.parse(one.holdExpiresAt ?? '') <= now.getTime(),
    );
    const released = await releaseInTheWay(
      context,
      expired.map(({ id }) => id),
      timeLeft,
    );
    if (taken.length > 0 && !released) throw hoursTaken(taken);
  }
  throw hoursTaken([]);
}

/** Checks the hours as for a customer, and prices them. */
async function price(context: BookingContext, wanted: StaffBooking, now: Date): Promise<NewStaffBooking> {
  const slots = readSpan(wanted);
  const [rates, rules] = [await readRates(context, wanted.studioId, slots), await readBookingRules(context.db)];
  const { quote } = newPrice(slots, { rates, rules, coupon: null }, now);
  const waivedCents = quote.totalCents - priceOf(wanted, quote.totalCents);
  if (typeof wanted.priceCents === 'number') requireConcession(wanted.money, { kind: 'price', cents: waivedCents });
  const holdEnd =
    wanted.payment === 'link' ? linkHoldEnd(wanted.startTime, now, holdMinutesOf(context.settings, rules)) : now;
  if (holdEnd === null)
    throw new Refusal('too_late', 'It’s too close to the start to pay by a link. Choose another way to pay.');
  return {
    ...wanted,
    quote,
    waivedCents,
    holdExpiresAt: holdEnd,
    rules,
  };
}

/** Returns what a booking costs in cents. Throws `Refusal` for a price above that of the list, or of a free booking. */
function priceOf({ payment, priceCents = null }: StaffBooking, listCents: number): number {
  if (priceCents === null) return payment === 'free' ? 0 : listCents;
  if (payment === 'free' || priceCents > listCents)
    throw new Refusal('invalid_request', 'A price of its own is at most the price of the list.', {
      field: 'priceCents',
      listCents,
    });
  return priceCents;
}
