import { inParallel } from '#server/queue/in-parallel.ts';
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
import { cancelBookingRow } from './confirm.ts';
import { orMissing, type PaymentContext, reasonOf } from './context.ts';
import { settleSession } from './settle.ts';

/** A create call younger than this may still be running, so its hold is not released. */
const CREATE_MAY_RUN_MS = 60_000;
/** How many expired holds are released at the same time. */
const RELEASES_AT_ONCE = 4;

/**
 * Releases a hold, but only after the provider has confirmed that its session can no longer be paid. Returns the booking: pending when
 * it must stay held, confirmed when the customer paid first. Throws `Refusal('payment_processing')` when the owner releases a booking
 * whose payment is processing, and `ProviderError` when the provider does not answer.
 */
export async function releaseHold(
  context: PaymentContext,
  bookingId: string,
  reason: CancelReason,
): Promise<BookingFacts> {
  const { db, payments } = context;
  const booking = await readBooking(db, bookingId);
  if (!booking) throw new Refusal('not_found', 'Booking not found');
  if (booking.status !== 'pending') return booking;
  const payment = await latestPayment(db, bookingId);
  if (payment?.state === 'processing') return releaseProcessing(context, booking, payment, reason);
  if (payment?.state === 'open' && payment.sessionId) {
    const session = await orMissing(payments.expireSession(payment.sessionId));
    failpoint('release.after.expire');
    if (session === null) return expireHold(context, booking.id, reason);
    return (await settleSession(context, session, reason)).booking;
  }
  if (payment?.state === 'intent') return releaseIntent(context, booking, payment, reason);
  return expireHold(context, booking.id, reason);
}

/** Releases expired holds and returns how many. A hold that fails stays and is tried again. */
export async function releaseExpiredHolds(context: PaymentContext, stop: () => boolean = () => false): Promise<number> {
  const { db, clock, log } = context;
  const { rows } = await db.query<{ id: string }>(
    `select id from private.booking where status = 'pending' and hold_expires_at <= $1::timestamptz order by hold_expires_at limit 50`,
    [clock()],
  );
  let released = 0;
  await inParallel(
    rows,
    RELEASES_AT_ONCE,
    async (row) => {
      const booking = await releaseHold(context, row.id, 'hold_expired').catch((error: unknown) => {
        // Without the provider's answer the slot stays held.
        log.error({ booking: row.id, reason: reasonOf(error) }, 'a hold could not be released yet');
        return null;
      });
      if (booking?.status === 'cancelled') released += 1;
    },
    stop,
  );
  return released;
}

/** Keeps the hours of a processing payment until the session starts, then cancels the booking. */
async function releaseProcessing(
  context: PaymentContext,
  held: BookingFacts,
  processing: PaymentFacts,
  reason: CancelReason,
): Promise<BookingFacts> {
  const session = await orMissing(context.payments.getSession(processing.sessionId ?? ''));
  const { booking, payment } =
    session === null ? { booking: held, payment: processing } : await settleSession(context, session, reason);
  if (payment.state !== 'processing' || booking.status !== 'pending') return booking;
  if (session !== null && context.clock().getTime() < Date.parse(booking.startTime)) {
    if (reason === 'hold_expired') return booking;
    throw new Refusal(
      'payment_processing',
      'Your payment for this booking is being processed. We’ll email you as soon as we know.',
      { bookingId: booking.id },
    );
  }
  return context.db.transaction(async (tx) => {
    const locked = await lockBooking(tx, booking.id);
    if (!locked) throw new Refusal('not_found', 'Booking not found');
    const now = await latestPayment(tx, booking.id);
    if (locked.status !== 'pending' || now?.state !== 'processing') return locked;
    if (session === null)
      await tx.query(`update private.payment set state = 'failed' where id = $1::uuid`, [payment.id]);
    await cancelBookingRow(tx, booking.id, 'payment_failed');
    await enqueue(tx, {
      kind: 'mail.payment-failed',
      subjectId: booking.id,
      dedupe: payment.id,
      dueAt: context.clock(),
    });
    return { ...locked, status: 'cancelled', cancelReason: 'payment_failed' };
  });
}

/** Releases a hold whose session was requested but never stored: first looks for it at the provider. */
async function releaseIntent(
  context: PaymentContext,
  booking: BookingFacts,
  payment: PaymentFacts,
  reason: CancelReason,
): Promise<BookingFacts> {
  const { payments, clock } = context;
  if (clock().getTime() - Date.parse(payment.createdAt) < CREATE_MAY_RUN_MS && reason !== 'replaced') return booking;
  const found = await payments.findSession(booking.id, new Date(Date.parse(booking.createdAt) - 60_000));
  if (!found) return expireHold(context, booking.id, reason);
  const session = found.status === 'open' ? await payments.expireSession(found.id) : found;
  return (await settleSession(context, session, reason)).booking;
}

async function expireHold({ db }: PaymentContext, bookingId: string, reason: CancelReason): Promise<BookingFacts> {
  return db.transaction(async (tx) => {
    const booking = await lockBooking(tx, bookingId);
    if (!booking) throw new Refusal('not_found', 'Booking not found');
    if (booking.status !== 'pending') return booking;
    // Its payment may have started processing meanwhile.
    if ((await latestPayment(tx, bookingId))?.state === 'processing') return booking;
    await tx.query(
      `update private.payment set state = 'expired' where booking_id = $1::uuid and state in ('intent', 'open')`,
      [bookingId],
    );
    await cancelBookingRow(tx, bookingId, reason);
    return { ...booking, status: 'cancelled', cancelReason: reason };
  });
}
