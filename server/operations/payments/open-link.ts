import { ProviderError } from '#server/providers/call.ts';
import { type BookingFacts, latestPayment, type PaymentFacts } from '../core/booking-rows.ts';
import { Refusal } from '../core/refusal.ts';
import { withTimeout } from '../core/timeout.ts';
import { replaceAttempt } from './close-session.ts';
import { openSession } from './open-session.ts';
import type { Services } from '../core/services.ts';

/** `url`: the pay page. `pending`: the provider has not answered yet. If neither is set, the hold can no longer be paid for by a link. */
export type OpenedLink = { readonly url: string | null; readonly pending: boolean };

const PENDING: OpenedLink = { url: null, pending: true };
/** The hold has been paid for or released, or its payment is processing. */
const NOTHING_TO_PAY: OpenedLink = { url: null, pending: false };

/**
 * Opens the payment session of a hold that is paid by a link. The link is pending if the provider does not answer within `waitMs`; a mail
 * or the next call opens the session later.
 */
export function openLink(services: Services, hold: BookingFacts, email: string, waitMs: number): Promise<OpenedLink> {
  return withTimeout(services.log, waitMs, open(services, hold, email), PENDING);
}

async function open(services: Services, booking: BookingFacts, email: string): Promise<OpenedLink> {
  try {
    const payment = await payPageAttempt(services, booking);
    if (payment === null) return NOTHING_TO_PAY;
    const url = await services.openings(payment.id, () =>
      openSession(services, booking, payment, { email, hours: booking.totalHours }),
    );
    return url === null ? PENDING : { url, pending: false };
  } catch (error) {
    if (error instanceof Refusal) return error.code === 'provider_unavailable' ? PENDING : NOTHING_TO_PAY;
    if (error instanceof ProviderError) return PENDING;
    throw error;
  }
}

/**
 * Returns the attempt that is paid on the pay page, after ending an attempt with a saved card that has no result yet. Null if the hold was
 * paid for in the meantime.
 */
async function payPageAttempt(services: Services, booking: BookingFacts): Promise<PaymentFacts | null> {
  const payment = await latestPayment(services.db, booking.id);
  if (payment === null || payment.card === null || payment.state !== 'intent') return payment;
  return replaceAttempt(services, booking, payment, { card: null });
}
