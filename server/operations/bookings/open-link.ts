import { ProviderError } from '#server/providers/call.ts';
import { type BookingFacts, latestPayment } from '../core/booking-rows.ts';
import { Refusal } from '../core/refusal.ts';
import { withTimeout } from '../core/timeout.ts';
import { openSession } from '../payments/open-session.ts';
import type { BookingContext } from './context.ts';

/**
 * Opens the payment session of a hold that is paid by a mailed link. Returns null when the provider does not answer within `waitMs` (the mail
 * opens it later), and when the hold has been paid for or released.
 */
export function openLink(
  context: BookingContext,
  hold: BookingFacts,
  email: string,
  waitMs: number,
): Promise<string | null> {
  return withTimeout(context.log, waitMs, open(context, hold, email), null);
}

async function open(context: BookingContext, booking: BookingFacts, email: string): Promise<string | null> {
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
