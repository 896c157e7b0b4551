import type { Transaction } from '#server/db/database.ts';
import type { PaymentSession } from '#server/providers/ports.ts';
import type { BookingFacts, CancelReason, PaymentFacts } from '../core/booking-rows.ts';
import { enqueue } from '../core/jobs.ts';
import { applyPaidMove, readMovable } from '../moves/paid-move.ts';
import { cancelBookingRow, confirmBooking } from './confirm.ts';
import { getOutcome } from './outcome.ts';
import { auditPayment } from './payment-rows.ts';
import type { Shares } from './shares.ts';
import type { Services } from '../core/services.ts';

/** A payment that arrives more than this long after the start is refunded. */
const PAYABLE_AFTER_START_MS = 30 * 60_000;

/** A session just read from the provider, with its locked bookings and payments. `reason` applies to a hold whose session has expired. */
type Move = {
  readonly session: PaymentSession;
  readonly shares: Shares;
  readonly reason: CancelReason;
};

/** Updates booking and payment according to the outcome of the session, in the caller's transaction. */
export async function applyOutcome(services: Services, tx: Transaction, move: Move): Promise<void> {
  switch (getOutcome(move.session)) {
    case 'open':
      return;
    case 'paid':
      return applyPaid(services, tx, move);
    case 'free':
      return applyFree(services, tx, move);
    case 'processing':
      return applyProcessing(services, tx, move);
    case 'failed':
      return applyFailed(services, tx, move);
    case 'expired':
      return applyExpired(services, tx, move);
  }
}

const NOT_PAID: readonly PaymentFacts['state'][] = ['intent', 'open', 'processing', 'expired', 'failed'];

async function applyPaid(services: Services, tx: Transaction, move: Move): Promise<void> {
  const { session, shares } = move;
  // The bookings of a series are pending together, and so are their payments.
  const { booking, payment } = shares[0];
  if (!NOT_PAID.includes(payment.state)) return;
  const now = services.clock();
  const matches = matchesPrice(session, shares);
  const released = payment.state === 'expired' || payment.state === 'failed';
  // For a hold of new hours: the booking that moves there.
  const movable = booking.movesBooking === null ? null : await readMovable(tx, booking, now);
  const inTime =
    booking.movesBooking === null
      ? now.getTime() <= booking.startTime.getTime() + PAYABLE_AFTER_START_MS
      : movable !== null;
  const isRefunded = session.refundedCents > 0 && session.refundedCents >= session.amountCents;
  if (booking.status === 'pending' && isRefunded) {
    // The payment was refunded in full at the provider before we confirmed anything.
    await writePaid(tx, move, { state: 'refund_pending', refundReason: 'at_provider', now });
    await cancelBookingRow(services, tx, booking.id, 'staff');
    await auditPayment(tx, 'alert', payment, { reason: 'refunded_at_provider' });
    await enqueue(tx, { kind: 'mail.booking-cancelled', subjectId: booking.id, dueAt: now });
    return;
  }
  const blocked = await isBlocked(tx, movable ?? booking, now);
  if (booking.status === 'pending' && !released && matches && inTime && !blocked) {
    await writePaid(tx, move, { state: 'paid', refundReason: null, now });
    if (movable === null) for (const share of shares) await confirmBooking(services, tx, share.booking);
    else await applyPaidMove(tx, movable, booking, now);
    return;
  }
  // The hours are no longer available for this payment, so queue the refund in the same transaction.
  const refundReason = reasonToRefund(shares, { matches, blocked });
  await writePaid(tx, move, { state: 'refund_pending', refundReason, now });
  if (booking.status === 'pending')
    await cancelBookingRow(services, tx, booking.id, !matches ? 'amount_mismatch' : blocked ? 'staff' : 'slot_lost');
  await auditPayment(tx, 'alert', payment, {
    reason: refundReason,
    expected: sumCents(shares),
    got: session.amountCents,
  });
  for (const share of shares) await enqueue(tx, { kind: 'payment.refund', subjectId: share.payment.id, dueAt: now });
  await enqueue(tx, { kind: 'mail.payment-returned', subjectId: booking.id, dedupe: payment.id, dueAt: now });
}

const sumCents = (shares: Shares): number => shares.reduce((sum, { payment }) => sum + payment.amountCents, 0);

const matchesPrice = (session: PaymentSession, shares: Shares): boolean =>
  session.currency === 'aud' &&
  session.amountCents === sumCents(shares) &&
  shares.every(({ booking, payment }) => payment.amountCents === booking.finalCostCents);

/** Returns why the hours cannot be given for a payment. */
function reasonToRefund(
  shares: Shares,
  { matches, blocked }: { matches: boolean; blocked: boolean },
): 'amount_mismatch' | 'second_payment' | 'blocked' | 'too_late' {
  if (!matches) return 'amount_mismatch';
  if (shares.some(({ booking }) => booking.status === 'confirmed')) return 'second_payment';
  return blocked ? 'blocked' : 'too_late';
}

/** Returns whether staff have blocked the customer, whose payment is then refunded. */
async function isBlocked(tx: Transaction, { userId }: BookingFacts, now: Date): Promise<boolean> {
  const row = await tx.queryRow<{ blocked: boolean }>(
    'select private.is_blocked($1::uuid, $2::timestamptz) as blocked',
    [userId, now],
  );
  return row?.blocked === true;
}

/**
 * Records that a payment has arrived; for a series, each share of it. If the amount differs from the price, the first share gets all of it
 * and is refunded. A payment for a move becomes a payment of the booking that moves.
 */
async function writePaid(
  tx: Transaction,
  { session, shares }: Move,
  {
    state,
    refundReason,
    now,
  }: { readonly state: 'paid' | 'refund_pending'; readonly refundReason: string | null; readonly now: Date },
): Promise<void> {
  const [{ booking, payment }, ...rest] = shares;
  if (state === 'paid' && booking.movesBooking !== null) {
    await tx.query(
      `update private.payment set state = 'paid', payment_intent_id = $2, paid_at = $3::timestamptz, paid_cents = $4, booking_id = $5::uuid,
         move_number = $6::int, attempt = (select coalesce(max(x.attempt), 0) + 1 from private.payment x where x.booking_id = $5::uuid)
       where id = $1::uuid`,
      [payment.id, session.paymentIntentId, now, session.amountCents, booking.movesBooking, booking.moveNumber],
    );
    return;
  }
  const exact = rest.length === 0 || session.amountCents === sumCents(shares);
  const parts = exact && rest.length > 0 ? shares.map((share) => share.payment.amountCents) : [session.amountCents];
  for (const [index, share] of shares.entries()) {
    const cents = Math.max(parts[index] ?? 0, 0);
    // Nothing was paid for a booking of the series whose price is zero, so nothing is refunded.
    const written = state === 'refund_pending' && cents === 0 && index > 0 ? 'failed' : state;
    await tx.query(
      `update private.payment set state = $2, payment_intent_id = $3, paid_at = $4::timestamptz, paid_cents = $5, refund_reason = $6
       where id = $1::uuid`,
      [share.payment.id, written, session.paymentIntentId, now, cents, refundReason],
    );
  }
}

/** Handles a session that the provider reports as free, which is an error unless the price was 0. There is nothing to refund. */
async function applyFree(services: Services, tx: Transaction, move: Move): Promise<void> {
  const { session, shares } = move;
  const { booking, payment } = shares[0];
  if (session.amountCents === 0 && sumCents(shares) === 0) return applyPaid(services, tx, move);
  if (!NOT_PAID.includes(payment.state) || payment.state === 'failed') return undefined;
  await writeState(tx, shares, 'failed');
  if (booking.status === 'pending') await cancelBookingRow(services, tx, booking.id, 'amount_mismatch');
  await auditPayment(tx, 'alert', payment, {
    reason: 'amount_mismatch',
    expected: sumCents(shares),
    got: session.amountCents,
  });
  return undefined;
}

async function writeState(
  tx: Transaction,
  shares: Shares,
  state: 'failed' | 'expired',
  intent: string | null = null,
): Promise<void> {
  await tx.query(
    `update private.payment set state = $2, payment_intent_id = coalesce($3, payment_intent_id) where id = any ($1::uuid[])`,
    [shares.map(({ payment }) => payment.id), state, intent],
  );
}

/**
 * Keeps the hours held until the first session starts, because the payment takes days. At the start `releaseHold` cancels the booking;
 * money that arrives later is refunded.
 */
async function applyProcessing(services: Services, tx: Transaction, { session, shares }: Move): Promise<void> {
  const { booking, payment } = shares[0];
  if (payment.state !== 'intent' && payment.state !== 'open' && payment.state !== 'expired') return;
  const now = services.clock();
  await tx.query(
    `update private.payment set state = 'processing', payment_intent_id = $2, processing_at = $3::timestamptz where id = any ($1::uuid[])`,
    [shares.map((share) => share.payment.id), session.paymentIntentId, now],
  );
  await auditPayment(tx, 'update', payment, { state: 'processing' });
  if (booking.status !== 'pending') return;
  await tx.query('update private.booking set hold_expires_at = $2::timestamptz where id = any ($1::uuid[])', [
    shares.map((share) => share.booking.id),
    booking.startTime,
  ]);
  await enqueue(tx, { kind: 'mail.payment-processing', subjectId: booking.id, dedupe: payment.id, dueAt: now });
}

/** Releases the slots and mails the customer, because the payment failed. No money was taken. */
async function applyFailed(services: Services, tx: Transaction, { session, shares }: Move): Promise<void> {
  const { booking, payment } = shares[0];
  if (!NOT_PAID.includes(payment.state) || payment.state === 'failed') return;
  await writeState(tx, shares, 'failed', session.paymentIntentId);
  await auditPayment(tx, 'update', payment, { state: 'failed' });
  if (booking.status !== 'pending') return;
  await cancelBookingRow(services, tx, booking.id, 'payment_failed');
  await enqueue(tx, {
    kind: 'mail.payment-failed',
    subjectId: booking.id,
    dedupe: payment.id,
    dueAt: services.clock(),
  });
}

async function applyExpired(services: Services, tx: Transaction, { shares, reason }: Move): Promise<void> {
  const { booking, payment } = shares[0];
  if (payment.state === 'intent' || payment.state === 'open') await writeState(tx, shares, 'expired');
  if (booking.status !== 'pending' || (await isReplaced(tx, payment, services.clock()))) return;
  // We closed this session ourselves because another hold replaces this one. The provider's event arrived before the new hold was stored.
  const replaced = await tx.queryRow(
    `select from private.coupon_redemption where booking_id = any ($1::uuid[]) and state = 'reserved' and moving_until > $2::timestamptz limit 1`,
    [shares.map((share) => share.booking.id), services.clock()],
  );
  await cancelBookingRow(services, tx, booking.id, replaced === null ? reason : 'replaced');
}

/** Returns whether another attempt is replacing or has replaced this one. In that case its end does not end the hold. */
async function isReplaced(
  tx: Transaction,
  { id, bookingId, attempt, replacedUntil }: PaymentFacts,
  now: Date,
): Promise<boolean> {
  if (replacedUntil !== null && replacedUntil > now) return true;
  const later = await tx.queryRow(
    `select from private.payment where booking_id = $1::uuid and attempt > $2::int and id <> $3::uuid and state in ('intent', 'open')`,
    [bookingId, attempt, id],
  );
  return later !== null;
}
