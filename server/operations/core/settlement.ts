import type { BookingFacts, PaymentFacts } from './booking-rows.ts';

/** A payment and its booking after a comparison with the provider. */
export type Settlement = {
  readonly booking: BookingFacts;
  readonly payment: PaymentFacts;
  /** Whether we have the money for this booking. */
  readonly paid: boolean;
};

/** `declined`: a card or bank refused to pay, and the customer may try another. The other outcomes are states that a payment reaches. */
export type PaymentOutcome = (typeof PAYMENT_OUTCOMES)[number];
export const PAYMENT_OUTCOMES = [
  'declined',
  'processing',
  'paid',
  'failed',
  'expired',
  'refund_pending',
  'refunded',
  'refund_failed',
  'refund_manual',
  'disputed',
  'dispute_lost',
] as const satisfies readonly (PaymentFacts['state'] | 'declined')[];
