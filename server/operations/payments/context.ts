import type { Database } from '#server/db/database.ts';
import type { Clock, Log } from '#server/http/caller.ts';
import type { Payments } from '#server/providers/ports.ts';
import type { BookingFacts, PaymentFacts } from '../core/booking-rows.ts';
import type { RecordedDecline } from './payment-rows.ts';

/** What the operations of payments work with. */
export type PaymentContext = {
  readonly db: Database;
  readonly payments: Payments;
  readonly clock: Clock;
  readonly log: Log;
  /** Counts what became of a payment, once it is committed. */
  readonly count: (outcome: PaymentOutcome) => void;
};

/** `declined`: a card or bank took nothing, and the customer may try another. The others are the states that a payment reaches. */
type PaymentOutcome = (typeof PAYMENT_OUTCOMES)[number];
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

/** A payment and its booking after they were compared with the provider. */
export type Settlement = {
  readonly booking: BookingFacts;
  readonly payment: PaymentFacts;
  /** We have the money for this booking. */
  readonly paid: boolean;
};

/** Reports a decline once it is committed. */
export function reportDecline(
  { log, count }: Pick<PaymentContext, 'log' | 'count'>,
  { bookingId }: PaymentFacts,
  decline: RecordedDecline | null,
): void {
  if (decline === null) return;
  count('declined');
  log.info({ booking: bookingId, ...decline }, 'a payment was declined');
}

/** Counts the state that a payment has reached, when it has changed. */
export function countChange(
  { count }: Pick<PaymentContext, 'count'>,
  before: PaymentFacts['state'],
  after: PaymentFacts['state'],
): void {
  const outcome = PAYMENT_OUTCOMES.find((one) => one === after);
  if (before !== after && outcome !== undefined) count(outcome);
}
