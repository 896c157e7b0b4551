import { cancellationTerms } from '#rules/cancellation.ts';
import type { Transaction, Queryable } from '#server/db/database.ts';
import { type BookingFacts, lockBooking, lockOrder, type PaymentFacts } from '../core/booking-rows.ts';
import { Refusal } from '../core/refusal.ts';
import { enqueue } from '../core/jobs.ts';
import { addPartialRefund } from '../payments/partial-refunds.ts';
import { isByHand, leftCents, type PaidPayment, paidPayments } from '../payments/payment-rows.ts';
import type { Services } from '../core/services.ts';
import { recordAudit } from '../core/audit.ts';

/** What the customer gets back. */
export type Cancellation = {
  readonly refund: 'full' | 'none';
  readonly amountCents: number;
  /** Staff got the money without the provider, and give it back themselves. */
  readonly byHand: boolean;
};

/** Cancels the customer's own confirmed booking, with the refund that the terms frozen when it was made give. Throws `Refusal`. */
export async function cancelBooking({ db, clock }: Services, bookingId: string, userId: string): Promise<Cancellation> {
  return db.transaction(async (tx) => {
    const now = clock();
    const booking = await lockBooking(tx, bookingId);
    if (booking?.userId !== userId) throw new Refusal('not_found', 'Booking not found');
    const problem = await whyNotCancel(tx, booking, now);
    if (problem !== null) throw problem;
    return cancelLocked(tx, booking, userId, now);
  });
}

/** `kept`: bookings of the order that are still to come and can no longer be cancelled. */
export type OrderCancellation = Cancellation & { readonly cancelled: number; readonly kept: number };

/**
 * Cancels all bookings of the order that their terms still allow to cancel, as one transaction, each with its own refund. Throws
 * `Refusal` when there is none.
 */
export async function cancelOrder(
  { db, clock }: Services,
  bookingId: string,
  userId: string,
): Promise<OrderCancellation> {
  return db.transaction(async (tx) => {
    const now = clock();
    const bookings = await lockOrder(tx, bookingId);
    if (!bookings.some(({ id, userId: owner }) => id === bookingId && owner === userId))
      throw new Refusal('not_found', 'Booking not found');
    const done: Cancellation[] = [];
    const problems: Refusal[] = [];
    for (const booking of bookings) {
      const problem = await whyNotCancel(tx, booking, now);
      if (problem === null) done.push(await cancelLocked(tx, booking, userId, now));
      else if (booking.id === bookingId || (booking.status === 'confirmed' && booking.endTime > now))
        problems.push(problem);
    }
    if (done.length === 0) throw problems[0] ?? new Refusal('already_done', 'These bookings are already cancelled.');
    const amountCents = done.reduce((sum, one) => sum + one.amountCents, 0);
    return {
      refund: amountCents === 0 ? 'none' : 'full',
      amountCents,
      byHand: done.some(({ byHand }) => byHand),
      cancelled: done.length,
      kept: problems.filter(({ code }) => code === 'too_late').length,
    };
  });
}

async function cancelLocked(tx: Transaction, { id }: BookingFacts, userId: string, now: Date): Promise<Cancellation> {
  const paid = (await paidPayments(tx, id)).filter(({ payment }) => payment.state === 'paid');
  const amountCents = leftCents(paid);
  await tx.query(
    `update private.booking set status = 'cancelled', cancel_reason = 'customer', cancelled_at = $2::timestamptz where id = $1::uuid`,
    [id, now],
  );
  const money = { by: 'customer', reason: 'cancelled by the customer', actor: userId } as const;
  await returnMoney(tx, paid, money, now);
  await enqueue(tx, { kind: 'mail.booking-cancelled', subjectId: id, dueAt: now });
  await enqueue(tx, { kind: 'access.revoke', subjectId: id, dueAt: now });
  await recordAudit(tx, {
    actor: userId,
    action: 'update',
    resource: 'booking',
    id,
    details: { status: 'cancelled', reason: 'customer' },
  });
  return { refund: amountCents === 0 ? 'none' : 'full', amountCents, byHand: returnsByHand(paid) };
}

/** Reads whether the terms of a booking give a full refund now. Staff who move it to a later start do not change that. */
export const readTerms = async (
  tx: Transaction,
  booking: BookingFacts,
  now: Date,
): Promise<ReturnType<typeof cancellationTerms>> =>
  cancellationTerms(booking.termsStart, now, await freeCancelHours(tx, booking.id));

/** Why a customer cannot cancel a booking; null when the terms allow it. */
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

/** Whether staff give some of the money that is left back themselves. */
export const returnsByHand = (paid: readonly PaidPayment[]): boolean =>
  paid.some(({ payment, leftCents: left }) => left > 0 && isByHand(payment));

/**
 * Queues the refund of all that is left of the payments of a cancelled booking, in the caller's transaction, without those in dispute: their money
 * goes back when the bank decides for us. `by`: who cancelled it.
 */
export async function returnMoney(
  tx: Transaction,
  paid: readonly PaidPayment[],
  { by, reason, actor }: { by: 'customer' | 'staff'; reason: string; actor: string },
  dueAt: Date,
): Promise<void> {
  for (const { payment, leftCents: cents } of paid) {
    if (cents === 0 || payment.state !== 'paid') continue;
    if (!isByHand(payment)) await queueRefund(tx, payment, by, dueAt);
    else await addPartialRefund(tx, { paymentId: payment.id, requestKey: 'cancellation', cents, reason, actor }, dueAt);
  }
}

async function queueRefund(
  tx: Transaction,
  payment: PaymentFacts,
  reason: 'customer' | 'staff',
  dueAt: Date,
): Promise<void> {
  await tx.query(`update private.payment set state = 'refund_pending', refund_reason = $2 where id = $1::uuid`, [
    payment.id,
    reason,
  ]);
  await enqueue(tx, { kind: 'payment.refund', subjectId: payment.id, dueAt });
}

/** How many hours before its start a booking can be cancelled for a full refund, as agreed when it was made; today's setting for a booking without. */
export async function freeCancelHours(db: Queryable, bookingId: string): Promise<number> {
  const frozen = await db.one<{ hours: number }>(
    `select coalesce(b.policy ->> 'freeCancelHours', private.business_settings() ->> 'freeCancelHours')::float8 as hours
     from private.booking b where b.id = $1::uuid`,
    [bookingId],
  );
  if (frozen === null) throw new Refusal('not_found', 'Booking not found');
  return frozen.hours;
}
