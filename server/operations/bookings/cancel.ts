import { cancellationTerms } from '#rules/cancellation.ts';
import type { Transaction } from '#server/db/database.ts';
import { type BookingFacts, lockBooking, type PaymentFacts } from '../core/booking-rows.ts';
import { Refusal } from '../core/refusal.ts';
import { enqueue } from '../core/jobs.ts';
import { addPartialRefund } from '../payments/partial-refunds.ts';
import { isByHand, leftCents, type PaidPayment, paidPayments } from '../payments/payment-rows.ts';
import type { BookingContext } from './context.ts';

/** What the customer gets back. */
export type Cancellation = {
  readonly refund: 'full' | 'none';
  readonly amountCents: number;
  /** Staff got the money without the provider, and give it back themselves. */
  readonly byHand: boolean;
};

/** Cancels the customer's own confirmed booking, with the refund that the terms frozen when it was made give. Throws `Refusal`. */
export async function cancelBooking(
  { db, clock }: Pick<BookingContext, 'db' | 'clock'>,
  bookingId: string,
  userId: string,
): Promise<Cancellation> {
  return db.transaction(async (tx) => {
    const now = clock();
    const booking = await lockBooking(tx, bookingId);
    if (booking?.userId !== userId) throw new Refusal('not_found', 'Booking not found');
    await requireCancellable(tx, booking, now);
    const paid = (await paidPayments(tx, bookingId)).filter(({ payment }) => payment.state === 'paid');
    const amountCents = leftCents(paid);
    await tx.query(
      `update private.booking set status = 'cancelled', cancel_reason = 'customer', cancelled_at = $2::timestamptz where id = $1::uuid`,
      [bookingId, now],
    );
    await returnMoney({ clock }, tx, paid, { by: 'customer', reason: 'cancelled by the customer', actor: userId });
    await enqueue(tx, { kind: 'mail.booking-cancelled', subjectId: bookingId, dueAt: now });
    await enqueue(tx, { kind: 'access.revoke', subjectId: bookingId, dueAt: now });
    await tx.query(
      `select private.audit($2::uuid, 'update', 'booking', $1, '{"status": "cancelled", "reason": "customer"}')`,
      [bookingId, userId],
    );
    return { refund: amountCents === 0 ? 'none' : 'full', amountCents, byHand: returnsByHand(paid) };
  });
}

async function requireCancellable(tx: Transaction, booking: BookingFacts, now: Date): Promise<void> {
  if (booking.status === 'cancelled') throw new Refusal('already_done', 'This booking is already cancelled.');
  if (booking.status === 'pending') throw new Refusal('not_confirmed', 'This booking hasn’t been paid yet.');
  const terms = cancellationTerms(new Date(booking.startTime), now, await freeCancelHours(tx, booking.id));
  if (terms.allowed) return;
  throw new Refusal(
    'too_late',
    `Bookings can be cancelled up to ${terms.freeHours} hours before the start. Please contact us instead.`,
  );
}

/** Whether staff give some of the money that is left back themselves. */
export const returnsByHand = (paid: readonly PaidPayment[]): boolean =>
  paid.some(({ payment, leftCents: left }) => left > 0 && isByHand(payment));

/**
 * Queues the refund of all that is left of the payments of a cancelled booking, in the caller's transaction, without those in dispute: their money
 * goes back when the bank decides for us. `by`: who cancelled it.
 */
export async function returnMoney(
  { clock }: Pick<BookingContext, 'clock'>,
  tx: Transaction,
  paid: readonly PaidPayment[],
  { by, reason, actor }: { by: 'customer' | 'staff'; reason: string; actor: string },
): Promise<void> {
  for (const { payment, leftCents: cents } of paid) {
    if (cents === 0 || payment.state !== 'paid') continue;
    if (!isByHand(payment)) await queueRefund(tx, payment, by, clock());
    else
      await addPartialRefund({ clock }, tx, {
        paymentId: payment.id,
        requestKey: 'cancellation',
        cents,
        reason,
        actor,
      });
  }
}

async function queueRefund(
  tx: Transaction,
  payment: PaymentFacts,
  reason: 'customer' | 'staff',
  now: Date,
): Promise<void> {
  await tx.query(`update private.payment set state = 'refund_pending', refund_reason = $2 where id = $1::uuid`, [
    payment.id,
    reason,
  ]);
  await enqueue(tx, { kind: 'payment.refund', subjectId: payment.id, dueAt: now });
}

/** How many hours before its start a booking can be cancelled for a full refund, as agreed when it was made; today's setting for a booking without. */
export async function freeCancelHours(db: Pick<Transaction, 'one'>, bookingId: string): Promise<number> {
  const frozen = await db.one<{ hours: number }>(
    `select coalesce(b.policy ->> 'freeCancelHours', private.business_settings() ->> 'freeCancelHours')::float8 as hours
     from private.booking b where b.id = $1::uuid`,
    [bookingId],
  );
  if (frozen === null) throw new Refusal('not_found', 'Booking not found');
  return frozen.hours;
}
