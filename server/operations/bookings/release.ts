import type { Transaction } from '#server/db/database.ts';
import { type BookingFacts, latestPayment, lockSeries, type PaymentFacts, readBooking } from '../core/booking-rows.ts';
import { failpoint } from '../core/failpoint.ts';
import { Refusal } from '../core/refusal.ts';
import { enqueue } from '../core/jobs.ts';
import { closeSession } from '../payments/close-session.ts';
import { cancelBookingRow } from '../payments/confirm.ts';
import { requestedAt } from '../payments/payment-rows.ts';
import { nullIfMissing } from '../payments/provider-errors.ts';
import { settleSession } from '../payments/settle.ts';
import { readOwnBooking } from './read-own-booking.ts';
import type { Services } from '../core/services.ts';

/** `abandoned`: the customer released the hold. */
type ReleaseReason = 'hold_expired' | 'abandoned';

/** A create call that started less than this long ago may still be running, so its hold is not released. */
const CREATE_MAY_RUN_MS = 60_000;

/**
 * Releases the caller's own unpaid hold. Returns the booking as `releaseHold` does, and the code of its coupon, which can be used again.
 * Throws `Refusal`, or `ProviderError`.
 */
export async function releaseOwnHold(
  services: Services,
  bookingId: string,
  userId: string,
): Promise<{ booking: BookingFacts; couponCode: string | null }> {
  await readOwnBooking(services, userId, bookingId);
  const row = await services.db.queryRow<{ code: string | null }>(
    `select coupon_terms ->> 'code' as code from private.booking where id = $1::uuid`,
    [bookingId],
  );
  return { booking: await releaseHold(services, bookingId, 'abandoned'), couponCode: row?.code ?? null };
}

/**
 * Releases a hold, with its whole series, but only after the provider has confirmed that its session can no longer be paid. Returns the
 * booking, which is pending if it must stay held and confirmed if the customer paid first. Throws `Refusal('payment_processing')` if the
 * owner releases a booking whose payment is processing, and `ProviderError` if the provider does not answer.
 */
export async function releaseHold(services: Services, bookingId: string, reason: ReleaseReason): Promise<BookingFacts> {
  const booking = await readBooking(services.db, bookingId);
  if (!booking) throw new Refusal('not_found', 'Booking not found');
  if (booking.status !== 'pending') return booking;
  const payment = await latestPayment(services.db, bookingId);
  switch (payment?.state) {
    case 'processing':
      return releaseProcessing(services, booking, payment, reason);
    case 'intent':
      if (services.clock().getTime() - requestedAt(booking, payment) < CREATE_MAY_RUN_MS) return booking;
      return releaseUnpaid(services, booking, payment, reason);
    case 'open':
      return releaseUnpaid(services, booking, payment, reason);
    default:
      // Staff made the booking without a payment, or its session has already been closed.
      return cancelHold(services, booking.id, reason);
  }
}

/** Closes the session of a hold, then cancels the booking, or settles the payment if the customer paid first. */
async function releaseUnpaid(
  services: Services,
  booking: BookingFacts,
  payment: PaymentFacts,
  reason: ReleaseReason,
): Promise<BookingFacts> {
  const session = await closeSession(services, booking, payment);
  failpoint('release.after.expire');
  if (session === null) return cancelHold(services, booking.id, reason);
  return (await settleSession(services, session, reason)).booking;
}

/** Keeps the hours of a processing payment until the session starts, then cancels the booking. */
async function releaseProcessing(
  services: Services,
  held: BookingFacts,
  processing: PaymentFacts,
  reason: ReleaseReason,
): Promise<BookingFacts> {
  const session = await nullIfMissing(services.payments.getSession(processing.sessionId ?? ''));
  const { booking, payment } =
    session === null ? { booking: held, payment: processing } : await settleSession(services, session, reason);
  if (payment.state !== 'processing' || booking.status !== 'pending') return booking;
  if (session !== null && services.clock() < booking.startTime) {
    if (reason === 'hold_expired') return booking;
    throw new Refusal(
      'payment_processing',
      'Your payment for this booking is being processed. We’ll email you as soon as we know.',
      { bookingId: booking.id },
    );
  }
  return failProcessing(services, booking.id, session === null);
}

/** Cancels a booking whose payment is still processing and mails the customer. `forgotten`: the provider no longer has the payment. */
async function failProcessing(services: Services, bookingId: string, forgotten: boolean): Promise<BookingFacts> {
  const { db, clock } = services;
  return db.transaction(async (tx) => {
    const booking = await lockHeld(tx, bookingId);
    const payment = await latestPayment(tx, bookingId);
    if (booking.status !== 'pending' || payment?.state !== 'processing') return booking;
    const session = payment.shareOf ?? payment.id;
    if (forgotten)
      await tx.query(`update private.payment set state = 'failed' where id = $1::uuid or share_of = $1::uuid`, [
        session,
      ]);
    await cancelBookingRow(services, tx, bookingId, 'payment_failed');
    const subjectId = booking.orderId ?? bookingId;
    await enqueue(tx, { kind: 'mail.payment-failed', subjectId, dedupe: session, dueAt: clock() });
    return { ...booking, status: 'cancelled', cancelReason: 'payment_failed' };
  });
}

/** Locks a hold with its whole series. */
async function lockHeld(tx: Transaction, bookingId: string): Promise<BookingFacts> {
  const booking = (await lockSeries(tx, bookingId)).find(({ id }) => id === bookingId);
  if (!booking) throw new Refusal('not_found', 'Booking not found');
  return booking;
}

async function cancelHold(services: Services, bookingId: string, reason: ReleaseReason): Promise<BookingFacts> {
  return services.db.transaction(async (tx) => {
    const booking = await lockHeld(tx, bookingId);
    if (booking.status !== 'pending') return booking;
    // The payment may have started processing in the meantime.
    if ((await latestPayment(tx, bookingId))?.state === 'processing') return booking;
    await tx.query(
      `update private.payment x set state = 'expired' from private.booking b
       where b.id = x.booking_id and coalesce(b.order_id, b.id) = $1::uuid and x.state in ('intent', 'open')`,
      [booking.orderId ?? bookingId],
    );
    await cancelBookingRow(services, tx, bookingId, reason);
    return { ...booking, status: 'cancelled', cancelReason: reason };
  });
}
