import type { Database } from '#server/db/database.ts';
import { ProviderError } from '#server/providers/call.ts';
import type { Payments, PaymentSession } from '#server/providers/ports.ts';
import { latestPayment, lockBooking, type PaymentFacts, readBooking } from '../core/booking-rows.ts';
import type { PaymentDesk } from '../payments/desk.ts';
import { Refusal } from '../core/refusal.ts';

/**
 * Closes the payment session of an own hold before another replaces it. The booking stays pending: `hold_booking` cancels it in the
 * transaction of the new hold, so its hours and its coupon are never free in between.
 * Throws `Refusal('already_done')` when the customer has paid, `ProviderError` when the provider does not answer.
 */
export async function closeSession(
  context: { readonly db: Database; readonly payments: Payments; readonly desk: PaymentDesk },
  bookingId: string,
): Promise<void> {
  const booking = await readBooking(context.db, bookingId);
  const payment = await latestPayment(context.db, bookingId);
  if (!booking || booking.status !== 'pending' || !payment || payment.state === 'expired') return;
  const session = await expire(context.payments, payment, new Date(Date.parse(booking.createdAt) - 60_000));
  if (session !== null && session.status !== 'expired') {
    await context.desk.settle(session.id);
    throw new Refusal(
      'already_done',
      `Your payment for booking ${booking.reference} is on its way to us, so nothing was changed.`,
      { bookingId },
    );
  }
  await context.db.transaction(async (tx) => {
    await lockBooking(tx, bookingId);
    await tx.query(`update private.payment set state = 'expired' where id = $1::uuid and state in ('intent', 'open')`, [
      payment.id,
    ]);
  });
}

/** Closes the session at the provider and returns it; null when there is none to pay. */
async function expire(payments: Payments, payment: PaymentFacts, since: Date): Promise<PaymentSession | null> {
  if (payment.kind === 'free') return null;
  try {
    if (payment.sessionId !== null) return await payments.expireSession(payment.sessionId);
    const found = await payments.findSession(payment.bookingId, since);
    return found?.status === 'open' ? await payments.expireSession(found.id) : found;
  } catch (error) {
    if (error instanceof ProviderError && error.reason === 'resource_missing' && !error.ambiguous) return null;
    throw error;
  }
}
