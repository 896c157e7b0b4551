import type Stripe from 'stripe';

/** `live`: whether the key takes real money. */
export type StripeContext = { readonly stripe: Stripe; readonly live: boolean };

export const INTENT_STATUSES = [
  'requires_payment_method',
  'requires_confirmation',
  'requires_action',
  'processing',
  'requires_capture',
  'canceled',
  'succeeded',
] as const;
