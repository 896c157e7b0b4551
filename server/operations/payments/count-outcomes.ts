import type { PaymentFacts } from '../core/booking-rows.ts';
import type { Services } from '../core/services.ts';
import { PAYMENT_OUTCOMES } from '../core/settlement.ts';
import type { RecordedDecline } from './payment-rows.ts';

/** Logs and counts a decline, once it is committed. */
export function reportDecline(
  { log, countOutcome }: Services,
  { bookingId }: PaymentFacts,
  decline: RecordedDecline | null,
): void {
  if (decline === null) return;
  countOutcome('declined');
  log.info({ booking: bookingId, ...decline }, 'a payment was declined');
}

/** Counts the state that a payment has reached, if it has changed. */
export function countChange(
  { countOutcome }: Services,
  before: PaymentFacts['state'],
  after: PaymentFacts['state'],
): void {
  const outcome = PAYMENT_OUTCOMES.find((outcome) => outcome === after);
  if (before !== after && outcome !== undefined) countOutcome(outcome);
}
