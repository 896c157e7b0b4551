import { cancellationTerms } from '#rules/cancellation.ts';
import type { Transaction, Queryable } from '#server/db/database.ts';
import { type BookingFacts, lockBooking, lockSeries } from '../core/booking-rows.ts';
import { Refusal } from '../core/refusal.ts';
import { cancelAndRefund } from '../payments/confirm.ts';
import { leftCents, paidPayments } from '../payments/payment-rows.ts';
import type { Services } from '../core/services.ts';

/** What the customer gets back. */
export type Cancellation = {
  /** `full`: everything that was left of the payments. `part`: some of it is not refunded, for example because it is disputed. */
  readonly refund: 'full' | 'part' | 'none';
  readonly amountCents: number;
  /** Whether the money was paid without the provider, so that staff refund it themselves. */
  readonly byHand: boolean;
};

/**
 * Cancels the customer's own confirmed booking and refunds what the terms of the booking give. The terms were frozen when it was made.
 * Throws `Refusal`.
 */
export async function cancelBooking({ db, clock }: Services, bookingId: string, userId: string): Promise<Cancellation> {
  return db.transaction(async (tx) => {
    const now = clock();
    const booking = await lockBooking(tx, bookingId);
    if (booking?.userId !== userId) throw new Refusal('not_found', 'Booking not found');
    const problem = await whyNotCancel(tx, booking, now);
    if (problem !== null) throw problem;
    return describeRefunds([await cancelForCustomer(tx, booking, userId, now)]);
  });
}

/** `kept`: the number of upcoming bookings of the series that can no longer be cancelled. */
export type SeriesCancellation = Cancellation & { readonly cancelled: number; readonly kept: number };

/**
 * Cancels all bookings of the series whose terms still allow it, in one transaction, each with its own refund. Throws `Refusal` if there
 * are none.
 */
export async function cancelSeries(
  { db, clock }: Services,
  bookingId: string,
  userId: string,
): Promise<SeriesCancellation> {
  return db.transaction(async (tx) => {
    const now = clock();
    const bookings = await lockSeries(tx, bookingId);
    if (!bookings.some(({ id, userId: owner }) => id === bookingId && owner === userId))
      throw new Refusal('not_found', 'Booking not found');
    const cancelled: Returned[] = [];
    const kept: Returned[] = [];
    const problems: Refusal[] = [];
    for (const booking of bookings) {
      const problem = await whyNotCancel(tx, booking, now);
      const isAhead = booking.status === 'confirmed' && booking.endTime > now;
      if (problem === null) cancelled.push(await cancelForCustomer(tx, booking, userId, now));
      else if (booking.id === bookingId || isAhead) problems.push(problem);
      if (problem?.code === 'too_late' && isAhead)
        kept.push({ amountCents: 0, leftCents: leftCents(await paidPayments(tx, booking.id)), byHand: false });
    }
    if (cancelled.length === 0)
      throw problems[0] ?? new Refusal('already_done', 'These bookings are already cancelled.');
    return {
      ...describeRefunds([...cancelled, ...kept]),
      cancelled: cancelled.length,
      kept: kept.length,
    };
  });
}

/** The refund of a booking, compared with what was left of its payments. */
type Returned = { readonly amountCents: number; readonly leftCents: number; readonly byHand: boolean };

async function cancelForCustomer(tx: Transaction, booking: BookingFacts, userId: string, now: Date): Promise<Returned> {
  const paid = await paidPayments(tx, booking.id);
  const { refundCents, byHand } = await cancelAndRefund(tx, booking, {
    by: 'customer',
    refund: { paid, cents: 'all', reason: 'cancelled by the customer', actor: userId },
    actor: userId,
    details: { status: 'cancelled', reason: 'customer' },
    now,
    dueAt: now,
  });
  return { amountCents: refundCents, leftCents: leftCents(paid), byHand };
}

function describeRefunds(bookings: readonly Returned[]): Cancellation {
  const amountCents = bookings.reduce((sum, booking) => sum + booking.amountCents, 0);
  const isAll = bookings.every((booking) => booking.amountCents === booking.leftCents);
  return {
    refund: amountCents === 0 ? 'none' : isAll ? 'full' : 'part',
    amountCents,
    byHand: bookings.some(({ byHand }) => byHand),
  };
}

/** Reads whether the terms of a booking give a full refund now. A move to a later start by staff does not change that. */
export const readTerms = async (
  tx: Transaction,
  booking: BookingFacts,
  now: Date,
): Promise<ReturnType<typeof cancellationTerms>> =>
  cancellationTerms(booking.termsStart, now, await freeCancelHours(tx, booking.id));

/** Returns why a customer cannot cancel a booking; null if the terms allow it. */
async function whyNotCancel(tx: Transaction, booking: BookingFacts, now: Date): Promise<Refusal | null> {
  if (booking.status === 'cancelled') return new Refusal('already_done', 'This booking is already cancelled.');
  if (booking.status === 'pending') return new Refusal('not_confirmed', 'This booking hasn’t been paid yet.');
  const terms = await readTerms(tx, booking, now);
  if (terms.allowed) return null;
  return new Refusal(
    'too_late',
    `Bookings can be cancelled up to ${terms.freeHours} hours before the start. Please contact us instead.`,
  );
}

/**
 * Returns how many hours before its start a booking can be cancelled for a full refund, as agreed when it was made. The current setting
 * applies to bookings without such an agreement. Throws `Refusal('not_found')`.
 */
export async function freeCancelHours(db: Queryable, bookingId: string): Promise<number> {
  const frozen = await db.queryRow<{ hours: number }>(
    `select coalesce(b.policy ->> 'freeCancelHours', private.business_settings() ->> 'freeCancelHours')::float8 as hours
     from private.booking b where b.id = $1::uuid`,
    [bookingId],
  );
  if (frozen === null) throw new Refusal('not_found', 'Booking not found');
  return frozen.hours;
}
