import type { Database } from '#server/db/database.ts';
import type { Log } from '#server/http/caller.ts';
import { ProviderError } from '#server/providers/call.ts';
import type { BookingFacts, PaymentFacts } from '../booking-rows.ts';
import { createSharedWork, within } from './in-time.ts';
import type { PaymentDesk, Settlement } from './desk.ts';

/** How a payment stands. `asking`: the provider has not answered yet; the rest is what we know ourselves. */
export type PaymentStanding = {
  readonly booking: BookingFacts;
  readonly payment: PaymentFacts;
  readonly paid: boolean;
  readonly asking: boolean;
};

export type PaymentStatus = {
  /**
   * Asks the provider how a session stands and moves the booking there, and answers after `answerWithinMs` all the same: while the
   * provider says nothing, the question goes on without the asker. Throws `Refusal`; `ProviderError` for a session we know nothing of either.
   */
  ask(sessionId: string): Promise<PaymentStanding>;
};

export function createPaymentStatus(parts: {
  db: Database;
  desk: PaymentDesk;
  log: Log;
  answerWithinMs: number;
}): PaymentStatus {
  const { db, desk, log, answerWithinMs } = parts;
  const settle = createSharedWork<Settlement | ProviderError>();

  return {
    async ask(sessionId) {
      // One question at a time about a session, however often the page asks.
      const asked = settle(sessionId, () => desk.settle(sessionId).catch(unanswered));
      const settled = await within(log, answerWithinMs, asked, null);
      if (settled !== null && !(settled instanceof ProviderError)) return { ...settled, asking: false };
      const known = await readKnown(db, sessionId);
      if (!known) throw settled ?? new ProviderError('payments', 'no_answer', { retryable: true, ambiguous: true });
      return { ...known, paid: isPaid(known.payment), asking: !isPaid(known.payment) };
    },
  };
}

/** An answer that never came is no failure here: the page asks again. */
function unanswered(error: unknown): ProviderError {
  if (error instanceof ProviderError && error.retryable) return error;
  throw error;
}

const isPaid = (payment: PaymentFacts): boolean => payment.state === 'paid' || payment.state === 'disputed';

async function readKnown(
  db: Database,
  sessionId: string,
): Promise<{ booking: BookingFacts; payment: PaymentFacts } | null> {
  return db.one<{ booking: BookingFacts; payment: PaymentFacts }>(
    `select private.booking_facts(b) as booking, private.payment_facts(x) as payment
     from private.payment x join private.booking b on b.id = x.booking_id where x.session_id = $1`,
    [sessionId],
  );
}
