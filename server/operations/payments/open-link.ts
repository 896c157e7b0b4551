import { ProviderError } from '#server/providers/call.ts';
import { type BookingFacts, latestPayment } from '../core/booking-rows.ts';
import { Refusal } from '../core/refusal.ts';
import { withTimeout } from '../core/timeout.ts';
import type { SingleFlight } from '../core/single-flight.ts';
import type { PaymentContext } from './context.ts';
import { openSession, type SessionContext } from './open-session.ts';

/** `openings` lets concurrent calls for one payment share the request that opens its session. */
type LinkContext = SessionContext & Pick<PaymentContext, 'log'> & { readonly openings: SingleFlight<string | null> };

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
  const payment = await latestPayment(context.db, booking.id);
  if (payment === null) return null;
  try {
    return await context.openings(payment.id, () =>
      openSession(context, booking, payment, { email, hours: booking.totalHours }),
    );
  } catch (error) {
    if (error instanceof Refusal || error instanceof ProviderError) return null;
    throw error;
  }
}
