import type { SingleFlight } from '../core/single-flight.ts';
import type { PaymentContext } from '../payments/context.ts';

type BookingSettings = {
  readonly siteUrl: string;
  /** Replaces the setting of the business; null: it counts. */
  readonly holdMinutes: number | null;
  readonly sessionMinutes: number;
  /** How long a hold waits for the payment provider, in milliseconds. */
  readonly answerWithinMs: number;
  /** Multiplies each limit; 1 outside tests. */
  readonly limitFactor: number;
};

/** What the operations of bookings work with. */
export type BookingContext = PaymentContext & {
  readonly settings: BookingSettings;
  /** Lets concurrent calls for one payment share the request that opens its session. */
  readonly openings: SingleFlight<string | null>;
};
