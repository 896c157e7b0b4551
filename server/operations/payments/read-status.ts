import { ProviderError } from '#server/providers/call.ts';
import { readCodeHold } from '../access/code-hold.ts';
import {
  type BookingFacts,
  type BookingJson,
  type PaymentJson,
  readBooking,
  readSeries,
} from '../core/booking-rows.ts';
import { withTimeout } from '../core/timeout.ts';
import type { Settlement } from '../core/settlement.ts';
import { toSettlement } from './payment-rows.ts';
import { settlePayment } from './settle.ts';
import type { Services } from '../core/services.ts';

/** State of a payment. `waiting`: the provider has not answered yet, so the other fields are as stored. */
export type PaymentStatus = Settlement & {
  readonly waiting: boolean;
  /** All bookings of the series, earliest first; empty for a booking made alone. */
  readonly order: readonly BookingFacts[];
  /** The current booking that the payment changes; null if it pays for the booking itself. */
  readonly changed: BookingFacts | null;
  /** Whether the code of the booking is held until staff have talked to the customer. */
  readonly codeHeld: boolean;
};

/**
 * Settles a session with the provider, but returns the stored state if this takes longer than `config.answerWithinMs`; settling then
 * continues in the background. Throws `Refusal`, or `ProviderError` if the session is not stored either.
 */
export async function readPaymentStatus(services: Services, sessionId: string): Promise<PaymentStatus> {
  const { log, config, settlements } = services;
  const settling = settlements(sessionId, () => settlePayment(services, sessionId).catch(returnRetryable));
  const settled = await withTimeout(log, config.answerWithinMs, settling, null);
  if (settled !== null && !(settled instanceof ProviderError))
    return withOthers(services, { ...settled, waiting: false });
  const stored = await readStored(services, sessionId);
  if (!stored) throw settled ?? new ProviderError('payments', 'no_response', { retryable: true, ambiguous: true });
  return withOthers(services, { ...stored, waiting: !stored.paid });
}

async function withOthers(
  { db }: Services,
  status: Settlement & Pick<PaymentStatus, 'waiting'>,
): Promise<PaymentStatus> {
  const { booking, payment } = status;
  const codeHeld = (await readCodeHold(db, booking.movesBooking ?? booking.id)) !== null;
  if (booking.movesBooking !== null)
    return { ...status, codeHeld, order: [], changed: await readBooking(db, booking.movesBooking) };
  if (payment.moveNumber !== null) return { ...status, codeHeld, order: [], changed: booking };
  const order = booking.orderId === null ? [] : await readSeries(db, booking.orderId);
  return { ...status, codeHeld, order, changed: null };
}

/** Returns retryable errors instead of throwing them, because the page asks again. */
function returnRetryable(error: unknown): ProviderError {
  if (error instanceof ProviderError && error.retryable) return error;
  throw error;
}

async function readStored({ db }: Services, sessionId: string): Promise<Settlement | null> {
  const row = await db.queryRow<{ booking: BookingJson; payment: PaymentJson }>(
    `select private.booking_json(b) as booking, private.payment_json(x) as payment
     from private.payment x join private.booking b on b.id = x.booking_id where x.session_id = $1 and (x.share_of is null or x.share_of = x.id)`,
    [sessionId],
  );
  return row && toSettlement(row);
}
