import type Stripe from 'stripe';
import type { Decline } from '../ports.ts';
import type { LastErrorReply } from './replies.ts';

/** The client of an account. `live`: whether its key takes real money. */
export type StripeAccount = { readonly stripe: Stripe; readonly live: boolean };

export const INTENT_STATUSES = [
  'requires_payment_method',
  'requires_confirmation',
  'requires_action',
  'processing',
  'requires_capture',
  'canceled',
  'succeeded',
] as const;

/** Returns why the last attempt of a payment failed; null if there was none, or if a later one succeeded. */
export function toDecline({
  id,
  last_payment_error: error,
}: {
  readonly id: string;
  readonly last_payment_error?: LastErrorReply;
}): Decline | null {
  if (!error) return null;
  return {
    attempt: error.charge ?? id,
    code: error.decline_code ?? error.code ?? 'unknown',
    message: error.message ?? '',
  };
}
