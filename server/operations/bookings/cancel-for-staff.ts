import type { Transaction } from '#server/db/database.ts';
import { type BookingFacts, latestPayment, lockSeries, readBooking } from '../core/booking-rows.ts';
import { failpoint } from '../core/failpoint.ts';
import { Refusal } from '../core/refusal.ts';
import { takeCoupon } from '../core/take-coupon.ts';
import { paymentOnItsWay } from '../payments/close-session.ts';
import { cancelAndRefund } from '../payments/confirm.ts';
import { leftCents, type PaidPayment, paidPayments } from '../payments/payment-rows.ts';
import { readTerms } from './cancel.ts';
import { closeHold } from './close-hold.ts';
import { type MoneyRight, requireConcession } from '../core/concessions.ts';
import { jobsDue, storeUndo, type Undo } from '../staff/undo-rows.ts';
import type { Services } from '../core/services.ts';

export type StaffCancellation = {
  readonly bookingId: string;
  /** Refund the full remaining amount, nothing, what the terms of the booking give, or an amount in cents. */
  readonly refund: 'full' | 'none' | 'terms' | number;
  readonly reason: string;
  readonly actor: string;
  /** Whether the refund may differ from what the terms of the booking give. Undefined counts as `missing`. */
  readonly money?: MoneyRight;
  /** Whether staff can undo the cancellation for a few seconds. Mail, refund and the end of codes are delayed until then. */
  readonly undoable?: boolean;
  /**
   * The reason for a cancellation by the server; the customer's mail mentions it. After a lost ID check the refund is always full, whatever
   * the cancellation terms.
   */
  readonly because?: 'id_missing';
  /** Checked in the transaction. False if a decision about the booking has been made in the meantime. */
  readonly stillWanted?: (tx: Transaction) => Promise<boolean>;
};
/** What is refunded. Nothing of a disputed payment can be refunded now; with `full` it is refunded if the bank decides in our favour. */
type Decision = { readonly refund: 'full' | 'part' | 'none'; readonly cents: number };

/** `byHand`: the money was paid without the provider, and staff refund it themselves. */
export type StaffCancelled = {
  readonly refundCents: number;
  readonly byHand: boolean;
  /** Null if the cancellation cannot be undone. */
  readonly undo: Undo | null;
};

/**
 * Cancels a booking for staff and queues its refund, mail and the end of its access codes. An unpaid hold is released, with its whole
 * series, once the provider has closed its session. Idempotent for the same decision. Throws `Refusal`, or `ProviderError` for a hold.
 */
export async function cancelForStaff(services: Services, request: StaffCancellation): Promise<StaffCancelled> {
  const seen = await readBooking(services.db, request.bookingId);
  const held = seen?.status === 'pending';
  if (held) await closeForStaff(services, seen);
  failpoint('staff-cancel.after.close');
  return services.db.transaction(async (tx) => {
    const booking = (await lockSeries(tx, request.bookingId)).find(({ id }) => id === request.bookingId);
    if (!booking) throw new Refusal('not_found', 'Booking not found');
    return decideAndCancel(services, tx, { booking, held }, request);
  });
}

/**
 * Cancels all confirmed bookings of a series that have not ended, in one transaction, each with its own refund. The cancellation cannot be
 * undone. Returns the sum of the refunds and the number of cancelled bookings. Throws `Refusal`.
 */
export async function cancelSeriesForStaff(
  services: Services,
  request: Omit<StaffCancellation, 'refund'> & { readonly refund: 'full' | 'none' | 'terms' },
): Promise<StaffCancelled & { readonly cancelled: number }> {
  return services.db.transaction(async (tx) => {
    const now = services.clock();
    const bookings = await lockSeries(tx, request.bookingId);
    if (bookings.length === 0) throw new Refusal('not_found', 'Booking not found');
    const remaining = bookings.filter(({ status, endTime }) => status === 'confirmed' && endTime > now);
    // A repeated call returns what the first call cancelled.
    const affected =
      remaining.length === 0 ? bookings.filter(({ cancelReason }) => cancelReason === 'staff') : remaining;
    if (affected.length === 0) throw new Refusal('already_done', 'This series has no bookings left to cancel.');
    const done: StaffCancelled[] = [];
    for (const booking of affected) {
      const decision = { ...request, bookingId: booking.id, undoable: false };
      done.push(await decideAndCancel(services, tx, { booking, held: false }, decision));
    }
    return {
      refundCents: done.reduce((sum, { refundCents }) => sum + refundCents, 0),
      byHand: done.some(({ byHand }) => byHand),
      undo: null,
      cancelled: done.length,
    };
  });
}

/** Cancels a locked booking as staff decided. `held`: the booking was a hold whose payment session has been closed. */
async function decideAndCancel(
  services: Services,
  tx: Transaction,
  { booking, held }: { readonly booking: BookingFacts; readonly held: boolean },
  request: StaffCancellation,
): Promise<StaffCancelled> {
  const now = services.clock();
  if (request.stillWanted && !(await request.stillWanted(tx)))
    throw new Refusal('already_done', 'A colleague has decided about this booking in the meantime.');
  // The provider's event about the closed session may already have released the hold.
  const released = held && booking.cancelReason === 'hold_expired' && !(await readDecision(tx, booking.id));
  if (booking.status === 'cancelled' && !released) return repeated(tx, request);
  if (booking.status === 'confirmed') requireNotOver(booking, now);
  else await requireUnpaid(tx, booking);
  const paid = await paidPayments(tx, booking.id);
  const gives = request.because === 'id_missing' ? 'full' : (await readTerms(tx, booking, now)).refund;
  const decision = decide(request.refund === 'terms' ? gives : request.refund, paid);
  const termsCents = decide(gives, paid).cents;
  requireConcession(request.money, { kind: 'refund', cents: decision.cents, termsCents });
  const { reason, actor } = request;
  const undoable = request.undoable === true && booking.status === 'confirmed';
  await storeDecision(tx, request, decision);
  const { byHand } = await cancelAndRefund(tx, booking, {
    by: 'staff',
    refund: { paid, cents: decision.refund === 'full' ? 'all' : decision.cents, reason, actor },
    actor,
    details: {
      before: { status: booking.confirmedAt === null ? 'pending' : 'confirmed' },
      after: { status: 'cancelled', refund: decision.refund, refundCents: decision.cents },
      reason,
    },
    because: request.because,
    now,
    dueAt: jobsDue(now, undoable),
  });
  // A coupon's discount is worth money too, so without a refund the coupon stays used.
  const refunded = gives === 'full' || (decision.refund === 'full' && request.money === 'held');
  if (booking.status === 'confirmed' && !refunded) await takeCoupon(tx, booking.id);
  const undo = undoable ? await storeUndo(tx, { kind: 'cancel', before: booking, actor, now }) : null;
  return { refundCents: decision.cents, byHand, undo };
}

/** Closes the payment session of a hold. Throws `Refusal` if the customer has paid. */
async function closeForStaff(services: Services, booking: BookingFacts): Promise<void> {
  try {
    await closeHold(services, booking.id);
  } catch (error) {
    if (error instanceof Refusal && error.code === 'already_done') throw paymentOnItsWay(booking.id);
    throw error;
  }
}

async function requireUnpaid(tx: Transaction, booking: BookingFacts): Promise<void> {
  const payment = await latestPayment(tx, booking.id);
  if (payment !== null && payment.state !== 'expired' && payment.state !== 'failed') throw paymentOnItsWay(booking.id);
}

const readDecision = (tx: Transaction, bookingId: string): Promise<Decision | null> =>
  tx.queryRow<Decision>('select refund, refund_cents as cents from private.cancellation where booking_id = $1::uuid', [
    bookingId,
  ]);

/** Returns the earlier result of the same decision. Throws `Refusal` if the booking was cancelled in another way. */
async function repeated(tx: Transaction, { bookingId, refund }: StaffCancellation): Promise<StaffCancelled> {
  const previous = await readDecision(tx, bookingId);
  const same =
    refund === 'terms' || (typeof refund === 'number' ? previous?.cents === refund : previous?.refund === refund);
  if (previous !== null && same) {
    const byHand = await tx.queryRow(
      `select from private.partial_refund p join private.payment x on x.id = p.payment_id
       where x.booking_id = $1::uuid and x.kind = 'elsewhere' and p.request_key = 'cancellation'`,
      [bookingId],
    );
    return { refundCents: previous.cents, byHand: byHand !== null, undo: null };
  }
  throw new Refusal(
    'already_done',
    'This booking is already cancelled.',
    previous ? { refundCents: previous.cents } : {},
  );
}

function requireNotOver(booking: BookingFacts, now: Date): void {
  if (booking.endTime <= now)
    throw new Refusal('too_late', 'This booking has ended. You can refund it, but not cancel it.');
}

function decide(refund: 'full' | 'none' | number, paid: readonly PaidPayment[]): Decision {
  const remaining = leftCents(paid);
  const now = leftCents(paid.filter(({ payment }) => payment.state === 'paid'));
  if (refund === 'none' || refund === 0) return { refund: 'none', cents: 0 };
  if (refund === 'full' || refund === now) return { refund: 'full', cents: now };
  if (refund <= remaining) return { refund: 'part', cents: refund };
  throw new Refusal('invalid_request', 'This is more than the remaining payment.', {
    field: 'refund',
    refundableCents: remaining,
  });
}

const storeDecision = (
  tx: Transaction,
  { bookingId, reason, actor }: StaffCancellation,
  { refund, cents }: Decision,
): Promise<unknown> =>
  tx.query(
    `insert into private.cancellation (booking_id, refund, refund_cents, reason, actor) values ($1::uuid, $2, $3, $4, $5::uuid)`,
    [bookingId, refund, cents, reason, actor],
  );
