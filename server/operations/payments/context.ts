import type { Database } from '#server/db/database.ts';
import type { Clock, Log } from '#server/http/caller.ts';
import type { Payments } from '#server/providers/ports.ts';
import type { BookingFacts, PaymentFacts } from '../core/booking-rows.ts';

/** What the operations of payments work with. */
export type PaymentContext = {
  readonly db: Database;
  readonly payments: Payments;
  readonly clock: Clock;
  readonly log: Log;
};

/** A payment and its booking after they were compared with the provider. */
export type Settlement = {
  readonly booking: BookingFacts;
  readonly payment: PaymentFacts;
  /** We have the money for this booking. */
  readonly paid: boolean;
};
