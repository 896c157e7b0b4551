import { ProviderError } from '#server/providers/call.ts';
import { type BookingFacts, latestPayment, type PaymentFacts } from '../core/booking-rows.ts';
import { Refusal } from '../core/refusal.ts';
import { withTimeout } from '../core/timeout.ts';
import type { SingleFlight } from '../core/single-flight.ts';
import { type AttemptContext, replaceAttempt } from './close-session.ts';
import { openSession, type SessionContext } from './open-session.ts';

/** `openings` lets concurrent calls for one payment share the request that opens its session. */
type LinkContext = SessionContext & AttemptContext & { readonly openings: SingleFlight<string | null> };

/**
 * Opens the payment session of a hold that is paid by a link. Returns null when the provider does not answer within `waitMs` (a mail or the next
 * call opens it later), and when the hold has been paid for or released.
 */
export function openLink(
  context: LinkContext,
  hold: BookingFacts,
  email: string,
  waitMs: number,
): Promise<string | null> {
  return withTimeout(context.log, waitMs, open(context, hold, email), null);
}

async function open(context: LinkContext, booking: BookingFacts, email: string): Promise<string | null> {
  try {
    const payment = await payPageAttempt(context, booking);
    if (payment === null) return null;
    return await context.openings(payment.id, () =>
      openSession(context, booking, payment, { email, hours: booking.totalHours }),
    );
  } catch (error) {
    if (error instanceof Refusal || error instanceof ProviderError) return null;
    throw error;
  }
}

/** The attempt that is paid on the pay page. One by a saved card that has no result ends first. null: it was paid meanwhile. */
async function payPageAttempt(context: LinkContext, booking: BookingFacts): Promise<PaymentFacts | null> {
  const payment = await latestPayment(context.db, booking.id);
  if (payment === null || payment.card === null || payment.state !== 'intent') return payment;
  return replaceAttempt(context, booking, payment, null);
}
