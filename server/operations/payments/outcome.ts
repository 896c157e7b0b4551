import type { PaymentSession } from '#server/providers/ports.ts';

/**
 * The meaning of a session for its booking:
 * `open`: the customer has not finished. `processing`: the customer has finished, but the money takes days. `paid`: we have the money.
 * `failed`: the money will not arrive. `expired`: the session can no longer be paid. `free`: the provider reports that nothing had to be
 * paid.
 */
export type SessionOutcome = 'open' | 'processing' | 'paid' | 'failed' | 'expired' | 'free';

/** Derives the outcome from the state of a session, its payment status and the status of the payment behind it. */
export function getOutcome(session: Pick<PaymentSession, 'status' | 'paymentStatus' | 'intentStatus'>): SessionOutcome {
  // Money that was taken takes precedence over all other fields.
  if (session.paymentStatus === 'paid') return 'paid';
  if (session.status === 'expired') return 'expired';
  if (session.status === 'open') return 'open';
  if (session.paymentStatus === 'no_payment_required') return 'free';
  switch (session.intentStatus) {
    case 'succeeded':
      return 'paid';
    // After a failed delayed payment the provider expects another method, but a complete session cannot offer one.
    case 'requires_payment_method':
    case 'canceled':
      return 'failed';
    case 'processing':
    case 'requires_action':
    case 'requires_confirmation':
    case 'requires_capture':
    case null:
      return 'processing';
  }
}
