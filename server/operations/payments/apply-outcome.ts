import type { Transaction } from '#server/db/database.ts';
import type { PaymentSession } from '#server/providers/ports.ts';
import type { BookingFacts, CancelReason, PaymentFacts } from '../core/booking-rows.ts';
import { enqueue } from '../core/jobs.ts';
import { applyPaidMove, readMovable } from '../moves/paid-move.ts';
import { cancelBookingRow, confirmBooking } from './confirm.ts';
import type { PaymentContext } from './context.ts';
import { outcomeOf } from './outcome.ts';
import { auditPayment } from './payment-rows.ts';

/** A payment that arrives later than this after the start is refunded. */
const PAYABLE_AFTER_START_MS = 30 * 60_000;

/** A session just read from the provider, with its locked booking and payment; `reason` is for a hold whose session has expired. */
type Move = {
  readonly session: PaymentSession;
  readonly booking: BookingFacts;
  readonly payment: PaymentFacts;
  readonly reason: CancelReason;
};

/** Moves booking and payment to what the session means for them, in the caller's transaction. */
export async function applyOutcome(context: PaymentContext, tx: Transaction, move: Move): Promise<void> {
  switch (outcomeOf(move.session)) {
    case 'open':
      return;
    case 'paid':
      return applyPaid(context, tx, move);
    case 'free':
      return applyFree(context, tx, move);
    case 'processing':
      return applyProcessing(context, tx, move);
    case 'failed':
      return applyFailed(context, tx, move);
    case 'expired':
      return applyExpired(context, tx, move);
  }
}

const NOT_PAID: readonly PaymentFacts['state'][] = ['intent', 'open', 'processing', 'expired', 'failed'];

async function applyPaid(context: PaymentContext, tx: Transaction, move: Move): Promise<void> {
  const { session, booking, payment } = move;
  if (!NOT_PAID.includes(payment.state)) return;
  const now = context.clock();
  const matches =
    session.currency === 'aud' &&
    session.amountCents === payment.amountCents &&
    payment.amountCents === booking.finalCostCents;
  const released = payment.state === 'expired' || payment.state === 'failed';
  // A hold of new hours: the booking that moves there.
  const movable = booking.movesBooking === null ? null : await readMovable(tx, booking, now);
  const inTime =
    booking.movesBooking === null
      ? now.getTime() <= Date.parse(booking.startTime) + PAYABLE_AFTER_START_MS
      : movable !== null;
  if (booking.status === 'pending' && session.refundedCents >= session.amountCents) {
    // Refunded in full at the provider before we confirmed anything.
    await writePaid(tx, move, 'refund_pending', 'at_provider', now);
    await cancelBookingRow(context, tx, booking.id, 'staff');
    await auditPayment(tx, 'alert', payment, { reason: 'refunded_at_provider' });
    await enqueue(tx, { kind: 'mail.booking-cancelled', subjectId: booking.id, dueAt: now });
    return;
  }
  const blocked = await isBlocked(tx, movable ?? booking, now);
  if (booking.status === 'pending' && !released && matches && inTime && !blocked) {
    await writePaid(tx, move, 'paid', null, now);
    if (movable === null) await confirmBooking(context, tx, booking);
    else await applyPaidMove(tx, movable, booking, now);
    return;
  }
  // We cannot give the hours for this payment: queue the refund in this same transaction.
  const refundReason = reasonToRefund(booking, { matches, blocked });
  await writePaid(tx, move, 'refund_pending', refundReason, now);
  if (booking.status === 'pending')
    await cancelBookingRow(context, tx, booking.id, !matches ? 'amount_mismatch' : blocked ? 'staff' : 'slot_lost');
  await auditPayment(tx, 'alert', payment, {
    reason: refundReason,
    expected: payment.amountCents,
    got: session.amountCents,
  });
  await enqueue(tx, { kind: 'payment.refund', subjectId: payment.id, dueAt: now });
  await enqueue(tx, { kind: 'mail.payment-returned', subjectId: booking.id, dedupe: payment.id, dueAt: now });
}

/** Why the hours cannot be given for a payment. */
function reasonToRefund(
  booking: BookingFacts,
  { matches, blocked }: { matches: boolean; blocked: boolean },
): 'amount_mismatch' | 'second_payment' | 'blocked' | 'too_late' {
  if (!matches) return 'amount_mismatch';
  if (booking.status === 'confirmed') return 'second_payment';
  return blocked ? 'blocked' : 'too_late';
}

/** Whether staff have blocked the customer: the money goes back. */
async function isBlocked(tx: Transaction, { userId }: BookingFacts, now: Date): Promise<boolean> {
  const row = await tx.one<{ blocked: boolean }>('select private.is_blocked($1::uuid, $2::timestamptz) as blocked', [
    userId,
    now,
  ]);
  return row?.blocked === true;
}

/** Writes that a payment has arrived. One that pays for a move becomes a payment of the booking that moves. */
async function writePaid(
  tx: Transaction,
  { session, payment, booking }: Move,
  state: 'paid' | 'refund_pending',
  refundReason: string | null,
  now: Date,
): Promise<void> {
  if (state === 'paid' && booking.movesBooking !== null) {
    await tx.query(
      `update private.payment set state = 'paid', payment_intent_id = $2, paid_at = $3::timestamptz, paid_cents = $4, booking_id = $5::uuid,
         move_number = $6::int, attempt = (select max(x.attempt) + 1 from private.payment x where x.booking_id = $5::uuid)
       where id = $1::uuid`,
      [payment.id, session.paymentIntentId, now, session.amountCents, booking.movesBooking, booking.moveNumber],
    );
    return;
  }
  await tx.query(
    `update private.payment set state = $2, payment_intent_id = $3, paid_at = $4::timestamptz, paid_cents = $5, refund_reason = $6
     where id = $1::uuid`,
    [payment.id, state, session.paymentIntentId, now, Math.max(session.amountCents, 0), refundReason],
  );
}

/** Handles a session that the provider calls free: an error unless the price was 0. There is nothing to refund. */
async function applyFree(context: PaymentContext, tx: Transaction, move: Move): Promise<void> {
  const { session, booking, payment } = move;
  if (session.amountCents === 0 && payment.amountCents === 0) return applyPaid(context, tx, move);
  if (!NOT_PAID.includes(payment.state) || payment.state === 'failed') return undefined;
  await tx.query(`update private.payment set state = 'failed' where id = $1::uuid`, [payment.id]);
  if (booking.status === 'pending') await cancelBookingRow(context, tx, booking.id, 'amount_mismatch');
  await auditPayment(tx, 'alert', payment, {
    reason: 'amount_mismatch',
    expected: payment.amountCents,
    got: session.amountCents,
  });
  return undefined;
}

/**
 * Keeps the hours held until the session starts, because the money takes days. At the start `releaseHold` cancels the booking, and
 * money that arrives later is refunded.
 */
async function applyProcessing(context: PaymentContext, tx: Transaction, move: Move): Promise<void> {
  const { session, booking, payment } = move;
  if (payment.state !== 'intent' && payment.state !== 'open' && payment.state !== 'expired') return;
  const now = context.clock();
  await tx.query(
    `update private.payment set state = 'processing', payment_intent_id = $2, processing_at = $3::timestamptz where id = $1::uuid`,
    [payment.id, session.paymentIntentId, now],
  );
  await auditPayment(tx, 'update', payment, { state: 'processing' });
  if (booking.status !== 'pending') return;
  await tx.query('update private.booking set hold_expires_at = start_time where id = $1::uuid', [booking.id]);
  await enqueue(tx, { kind: 'mail.payment-processing', subjectId: booking.id, dedupe: payment.id, dueAt: now });
}

/** Releases the slot and mails the customer, because the payment failed. Nothing was taken. */
async function applyFailed(context: PaymentContext, tx: Transaction, move: Move): Promise<void> {
  const { session, booking, payment } = move;
  if (!NOT_PAID.includes(payment.state) || payment.state === 'failed') return;
  await tx.query(`update private.payment set state = 'failed', payment_intent_id = $2 where id = $1::uuid`, [
    payment.id,
    session.paymentIntentId,
  ]);
  await auditPayment(tx, 'update', payment, { state: 'failed' });
  if (booking.status !== 'pending') return;
  await cancelBookingRow(context, tx, booking.id, 'payment_failed');
  await enqueue(tx, {
    kind: 'mail.payment-failed',
    subjectId: booking.id,
    dedupe: payment.id,
    dueAt: context.clock(),
  });
}

async function applyExpired(
  context: PaymentContext,
  tx: Transaction,
  { booking, payment, reason }: Move,
): Promise<void> {
  if (payment.state === 'intent' || payment.state === 'open')
    await tx.query(`update private.payment set state = 'expired' where id = $1::uuid`, [payment.id]);
  if (booking.status !== 'pending' || (await isReplaced(tx, payment, context.clock()))) return;
  // We closed this session ourselves for a hold that takes its place; the provider's event arrived before that hold.
  const replaced = await tx.one(
    `select from private.coupon_redemption where booking_id = $1::uuid and state = 'reserved' and moving_until > $2::timestamptz`,
    [booking.id, context.clock()],
  );
  await cancelBookingRow(context, tx, booking.id, replaced === null ? reason : 'replaced');
}

/** Whether another attempt takes, or has taken, the place of this one: then its end is not that of the hold. */
async function isReplaced(
  tx: Transaction,
  { id, bookingId, attempt, replacedUntil }: PaymentFacts,
  now: Date,
): Promise<boolean> {
  if (replacedUntil !== null && Date.parse(replacedUntil) > now.getTime()) return true;
  const later = await tx.one(
    `select from private.payment where booking_id = $1::uuid and attempt > $2::int and id <> $3::uuid and state in ('intent', 'open')`,
    [bookingId, attempt, id],
  );
  return later !== null;
}
