import { ProviderError } from '#server/providers/call.ts';
import { type BookingFacts, latestPayment, type PaymentFacts } from '../core/booking-rows.ts';
import { Refusal } from '../core/refusal.ts';
import { withTimeout } from '../core/timeout.ts';
import { replaceAttempt } from './close-session.ts';
import { openSession } from './open-session.ts';
import type { Services } from '../core/services.ts';

/**
 * Opens the payment session of a hold that is paid by a link. Returns null when the provider does not answer within `waitMs` (a mail or the next
 * call opens it later), and when the hold has been paid for or released.
 */
export function openLink(
  services: Services,
  hold: BookingFacts,
  email: string,
  waitMs: number,
): Promise<string | null> {
  return withTimeout(services.log, waitMs, open(services, hold, email), null);
}

async function open(services: Services, booking: BookingFacts, email: string): Promise<string | null> {
  try {
    const payment = await payPageAttempt(services, booking);
    if (payment === null) return null;
    return await services.openings(payment.id, () =>
      openSession(services, booking, payment, { email, hours: booking.totalHours }),
    );
  } catch (error) {
    if (error instanceof Refusal || error instanceof ProviderError) return null;
    throw error;
  }
}

/** The attempt that is paid on the pay page. One by a saved card that has no result ends first. null: it was paid meanwhile. */
async function payPageAttempt(services: Services, booking: BookingFacts): Promise<PaymentFacts | null> {
  const payment = await latestPayment(services.db, booking.id);
  if (payment === null || payment.card === null || payment.state !== 'intent') return payment;
  return replaceAttempt(services, booking, payment, null);
}
