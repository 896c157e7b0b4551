import type { Payments, PaymentSession } from '#server/providers/ports.ts';
import type { BookingFacts, PaymentFacts } from '../core/booking-rows.ts';
import { nullIfMissing } from './provider-errors.ts';

/** The provider's clock may be this much behind ours. */
const CLOCK_TOLERANCE_MS = 60_000;

/**
 * Closes the payment session of a hold at the provider and returns it: `expired`, or what the customer did first. Returns null when
 * there is none to pay. Throws `ProviderError` when the provider does not answer.
 */
export async function closeSession(
  { payments }: { readonly payments: Payments },
  booking: BookingFacts,
  payment: PaymentFacts,
): Promise<PaymentSession | null> {
  if (payment.kind !== 'card') return null;
  if (payment.sessionId !== null) return nullIfMissing(payments.expireSession(payment.sessionId));
  const found = await findSession(payments, booking);
  return found?.status === 'open' ? nullIfMissing(payments.expireSession(found.id)) : found;
}

/** Finds the session of a hold when the answer of the call that created it was lost; null when there is none. */
export function findSession(payments: Payments, booking: BookingFacts): Promise<PaymentSession | null> {
  return payments.findSession(booking.id, new Date(Date.parse(booking.createdAt) - CLOCK_TOLERANCE_MS));
}
