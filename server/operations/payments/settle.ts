import type { Transaction } from '#server/db/database.ts';
import type { Dispute, PaymentSession, Refund } from '#server/providers/ports.ts';
import {
  type BookingFacts,
  type CancelReason,
  latestPayment,
  lockBooking,
  type PaymentFacts,
  readBooking,
} from '../core/booking-rows.ts';
import { failpoint } from '../core/failpoint.ts';
import { enqueue } from '../outbox.ts';
import { Refusal } from '../core/refusal.ts';
import { cancelBookingRow, confirmBooking } from './confirm.ts';
import { auditPayment, lockPayment, orMissing, type PaymentContext, type Settlement } from './context.ts';
import { outcomeOf } from './outcome.ts';
import { recordDisputes } from './record-disputes.ts';
import { recordRefunds } from './record-refunds.ts';

/** A payment that arrives later than this after the start is refunded. */
const PAYABLE_AFTER_START_MS = 30 * 60_000;
const UUID = /^[0-9a-f-]{36}$/;

/**
 * Reads a payment's state from the provider and updates payment and booking. Webhooks, returning browsers, reconciliation and staff
 * all use it; it is idempotent. Throws `Refusal('not_found')` for an unknown session, or `ProviderError`.
 */
export async function settlePayment(context: PaymentContext, sessionId: string): Promise<Settlement> {
  if (sessionId.startsWith('free_')) return readFree(context, sessionId.slice('free_'.length));
  const session = await orMissing(context.payments.getSession(sessionId));
  failpoint('settle.after.get');
  if (session === null) throw new Refusal('not_found', 'Booking not found');
  return settleSession(context, session, 'hold_expired');
}

/** Settles by the id of the payment intent, which refunds and disputes name; otherwise as `settlePayment`. */
export async function settleIntent(context: PaymentContext, paymentIntentId: string): Promise<Settlement> {
  const stored = await context.db.one<{ session_id: string | null }>(
    'select session_id from private.payment where payment_intent_id = $1',
    [paymentIntentId],
  );
  if (stored?.session_id) return settlePayment(context, stored.session_id);
  const session = await context.payments.findSessionOfIntent(paymentIntentId);
  if (session === null) throw new Refusal('not_found', 'Booking not found');
  return settleSession(context, session, 'hold_expired');
}

async function readFree({ db }: PaymentContext, bookingId: string): Promise<Settlement> {
  const booking = UUID.test(bookingId) ? await readBooking(db, bookingId) : null;
  const payment = booking ? await latestPayment(db, booking.id) : null;
  if (!booking || payment?.kind !== 'free') throw new Refusal('not_found', 'Booking not found');
  return { booking, payment, paid: payment.state === 'paid' };
}

/** Updates booking and payment from a session just read from the provider. A cancelled booking is never revived. */
export async function settleSession(
  context: PaymentContext,
  session: PaymentSession,
  reason: CancelReason,
): Promise<Settlement> {
  const { bookingId } = session;
  if (bookingId === null || !UUID.test(bookingId)) throw new Refusal('not_found', 'Booking not found');
  const details = await readDetails(context, session);
  const settlement = await context.db.transaction(async (tx) => {
    const booking = await lockBooking(tx, bookingId);
    const payment = booking ? await lockSessionPayment(tx, booking.id, session) : null;
    if (!booking || !payment) throw new Refusal('not_found', 'Booking not found');
    await applyOutcome(context, tx, { session, booking, payment, reason });
    if (details !== null) await applyDetails(context, tx, { bookingId, paymentId: payment.id, ...details });
    failpoint('settle.before.commit');
    return readSettlement(tx, booking.id, payment.id);
  });
  failpoint('settle.after.commit');
  return settlement;
}

type Details = { readonly refunds: readonly Refund[]; readonly disputes: readonly Dispute[] };

/** Reads a payment's refunds and disputes from the provider; null when there cannot be any, which saves the calls. */
async function readDetails({ db, payments }: PaymentContext, session: PaymentSession): Promise<Details | null> {
  const intent = session.paymentIntentId;
  if (intent === null) return null;
  const stored = await db.one<{ any: boolean }>(
    `select p.state in ('refund_pending', 'refund_failed') or p.dispute_id is not null
       or exists (select from private.refund r where r.payment_id = p.id) as any
     from private.payment p where p.session_id = $1`,
    [session.id],
  );
  if (session.refundedCents === 0 && !session.disputed && stored?.any !== true) return null;
  const [refunds, disputes] = await Promise.all([payments.listRefunds(intent), payments.listDisputes(intent)]);
  return { refunds, disputes };
}

async function applyDetails(
  context: PaymentContext,
  tx: Transaction,
  { bookingId, paymentId, refunds, disputes }: Details & { bookingId: string; paymentId: string },
): Promise<void> {
  await recordRefunds(context, tx, { bookingId, paymentId, refunds });
  const booking = await lockBooking(tx, bookingId);
  const payment = await lockPayment(tx, paymentId);
  if (booking && payment) await recordDisputes(context, tx, { booking, payment, disputes });
}

/** Finds and locks the payment of a session by its id, or by the key of the create call when its answer was lost. */
async function lockSessionPayment(
  tx: Transaction,
  bookingId: string,
  session: PaymentSession,
): Promise<PaymentFacts | null> {
  const row = await tx.one<{ facts: PaymentFacts }>(
    `select private.payment_facts(x) as facts from private.payment x
     where x.booking_id = $1::uuid and (x.session_id = $2 or (x.session_id is null and x.state in ('intent', 'expired') and x.key = $3))
     order by x.session_id = $2 desc nulls last limit 1 for update`,
    [bookingId, session.id, session.metadata['key'] ?? ''],
  );
  const payment = row?.facts ?? null;
  if (payment && payment.sessionId === null)
    await tx.query('update private.payment set session_id = $2 where id = $1::uuid', [payment.id, session.id]);
  return payment;
}

type Move = {
  readonly session: PaymentSession;
  readonly booking: BookingFacts;
  readonly payment: PaymentFacts;
  readonly reason: CancelReason;
};

async function applyOutcome(context: PaymentContext, tx: Transaction, move: Move): Promise<void> {
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
      return applyExpired(tx, move);
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
  const inTime = now.getTime() <= Date.parse(booking.startTime) + PAYABLE_AFTER_START_MS;
  if (booking.status === 'pending' && session.refundedCents >= session.amountCents) {
    // Refunded in full at the provider before we confirmed anything.
    await writePaid(tx, move, 'refund_pending', 'at_provider', now);
    await cancelBookingRow(tx, booking.id, 'staff');
    await auditPayment(tx, 'alert', payment, { reason: 'refunded_at_provider' });
    await enqueue(tx, { kind: 'mail.booking-cancelled', subjectId: booking.id, dueAt: now });
    return;
  }
  if (booking.status === 'pending' && !released && matches && inTime) {
    await writePaid(tx, move, 'paid', null, now);
    await confirmBooking(context, tx, booking);
    return;
  }
  // We cannot give the hours for this payment: queue the refund in this same transaction.
  const refundReason = !matches ? 'amount_mismatch' : booking.status === 'confirmed' ? 'second_payment' : 'too_late';
  await writePaid(tx, move, 'refund_pending', refundReason, now);
  if (booking.status === 'pending') await cancelBookingRow(tx, booking.id, matches ? 'slot_lost' : 'amount_mismatch');
  await auditPayment(tx, 'alert', payment, {
    reason: refundReason,
    expected: payment.amountCents,
    got: session.amountCents,
  });
  await enqueue(tx, { kind: 'payment.refund', subjectId: payment.id, dueAt: now });
  await enqueue(tx, { kind: 'mail.payment-returned', subjectId: booking.id, dedupe: payment.id, dueAt: now });
}

async function writePaid(
  tx: Transaction,
  { session, payment }: Move,
  state: 'paid' | 'refund_pending',
  refundReason: string | null,
  now: Date,
): Promise<void> {
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
  if (booking.status === 'pending') await cancelBookingRow(tx, booking.id, 'amount_mismatch');
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
  await cancelBookingRow(tx, booking.id, 'payment_failed');
  await enqueue(tx, {
    kind: 'mail.payment-failed',
    subjectId: booking.id,
    dedupe: payment.id,
    dueAt: context.clock(),
  });
}

async function applyExpired(tx: Transaction, { booking, payment, reason }: Move): Promise<void> {
  if (payment.state === 'intent' || payment.state === 'open')
    await tx.query(`update private.payment set state = 'expired' where id = $1::uuid`, [payment.id]);
  if (booking.status !== 'pending') return;
  // We closed this session ourselves for a hold that takes its place; the provider's event arrived before that hold.
  const replaced = await tx.one(
    `select from private.coupon_redemption where booking_id = $1::uuid and state = 'reserved' and moving_until > clock_timestamp()`,
    [booking.id],
  );
  await cancelBookingRow(tx, booking.id, replaced === null ? reason : 'replaced');
}

async function readSettlement(tx: Transaction, bookingId: string, paymentId: string): Promise<Settlement> {
  const row = await tx.one<{ booking: BookingFacts; payment: PaymentFacts }>(
    `select private.booking_facts(b) as booking, private.payment_facts(x) as payment
     from private.booking b join private.payment x on x.booking_id = b.id where b.id = $1::uuid and x.id = $2::uuid`,
    [bookingId, paymentId],
  );
  if (!row) throw new Error('a settled booking cannot be read back');
  return { ...row, paid: row.payment.state === 'paid' || row.payment.state === 'disputed' };
}
