import { latestPayment, lockSeries, readBooking } from '../core/booking-rows.ts';
import { Refusal } from '../core/refusal.ts';
import { closeSession } from '../payments/close-session.ts';
import { settlePayment } from '../payments/settle.ts';
import type { Services } from '../core/services.ts';

/**
 * Closes the payment session of the caller's hold, or of its series, before another hold replaces it. The booking stays pending:
 * `hold_booking` cancels it in the transaction of the new hold, so its hours and its coupon are never free in between. Throws
 * `Refusal('already_done')` if the customer has paid, `ProviderError` if the provider does not answer.
 */
export async function closeHold(services: Services, bookingId: string): Promise<void> {
  const booking = await readBooking(services.db, bookingId);
  const payment = await latestPayment(services.db, bookingId);
  if (!booking || booking.status !== 'pending' || !payment || payment.state === 'expired') return;
  const session = await closeSession(services, booking, payment);
  if (session !== null && session.status !== 'expired') {
    await settlePayment(services, session.id);
    throw new Refusal(
      'already_done',
      `Your payment for booking ${booking.reference} is on its way to us, so nothing was changed.`,
      { bookingId },
    );
  }
  await services.db.transaction(async (tx) => {
    await lockSeries(tx, bookingId);
    await tx.query(
      `update private.payment set state = 'expired' where (id = $1::uuid or share_of = $1::uuid) and state in ('intent', 'open')`,
      [payment.shareOf ?? payment.id],
    );
  });
}
