import type { Database } from '#server/db/database.ts';
import type { Log } from '#server/http/caller.ts';
import { ProviderError } from '#server/providers/call.ts';
import type { BookingFacts, PaymentFacts } from '../core/booking-rows.ts';
import { createSharedWork, within } from './in-time.ts';
import type { PaymentDesk, Settlement } from './desk.ts';

/** State of a payment. `asking`: the provider has not answered yet, and the rest is what we have stored. */
export type PaymentStanding = {
  readonly booking: BookingFacts;
  readonly payment: PaymentFacts;
  readonly paid: boolean;
  readonly asking: boolean;
};

export type PaymentStatus = {
  /**
   * Settles a session with the provider, but returns the stored state after `answerWithinMs`; settling then continues in the
   * background. Throws `Refusal`, or `ProviderError` for a session that is not stored either.
   */
  ask(sessionId: string): Promise<PaymentStanding>;
};

export function createPaymentStatus(context: {
  db: Database;
  desk: PaymentDesk;
  log: Log;
  answerWithinMs: number;
}): PaymentStatus {
  const { db, desk, log, answerWithinMs } = context;
  const shareSettling = createSharedWork<Settlement | ProviderError>();

  return {
    async ask(sessionId) {
      // Concurrent calls share one request to the provider.
      const settling = shareSettling(sessionId, () => desk.settle(sessionId).catch(returnRetryable));
      const settled = await within(log, answerWithinMs, settling, null);
      if (settled !== null && !(settled instanceof ProviderError)) return { ...settled, asking: false };
      const stored = await readStored(db, sessionId);
      if (!stored) throw settled ?? new ProviderError('payments', 'no_answer', { retryable: true, ambiguous: true });
      return { ...stored, paid: isPaid(stored.payment), asking: !isPaid(stored.payment) };
    },
  };
}

/** Returns retryable errors instead of throwing them: the page asks again. */
function returnRetryable(error: unknown): ProviderError {
  if (error instanceof ProviderError && error.retryable) return error;
  throw error;
}

const isPaid = (payment: PaymentFacts): boolean => payment.state === 'paid' || payment.state === 'disputed';

async function readStored(
  db: Database,
  sessionId: string,
): Promise<{ booking: BookingFacts; payment: PaymentFacts } | null> {
  return db.one<{ booking: BookingFacts; payment: PaymentFacts }>(
    `select private.booking_facts(b) as booking, private.payment_facts(x) as payment
     from private.payment x join private.booking b on b.id = x.booking_id where x.session_id = $1`,
    [sessionId],
  );
}
