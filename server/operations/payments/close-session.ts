import { ProviderError } from '#server/providers/call.ts';
import type { Payments, PaymentSession } from '#server/providers/ports.ts';
import { callJson } from '../core/call-sql.ts';
import { type BookingFacts, type PaymentFacts, toPayment } from '../core/booking-rows.ts';
import { failpoint } from '../core/failpoint.ts';
import { Refusal } from '../core/refusal.ts';
import { nullIfMissing } from './provider-errors.ts';
import { sessionExpiry } from './session-expiry.ts';
import { settleSession } from './settle.ts';
import type { Services } from '../core/services.ts';

/** The provider's clock may be this much behind ours. */
const CLOCK_TOLERANCE_MS = 60_000;
/** A call that takes money from a card has ended after this time, whether or not we know how. */
const CARD_CALL_MS = 45_000;

/** For how long the end of a session that another attempt replaces does not end its hold. */
const REPLACING_MS = 60_000;

/**
 * Closes the payment session of a hold at the provider and returns it: `expired`, or what the customer did first. Returns null when
 * there is none to pay. Throws `ProviderError` when the provider does not answer, or is taking the money from a saved card at this moment.
 */
export async function closeSession(
  services: Services,
  booking: BookingFacts,
  payment: PaymentFacts,
): Promise<PaymentSession | null> {
  const { payments } = services;
  if (payment.kind !== 'card') return null;
  if (payment.sessionId !== null) return nullIfMissing(payments.expireSession(payment.sessionId));
  const found =
    payment.card === null ? await findSession(payments, booking) : await findCardPayment(services, booking, payment);
  return found?.status === 'open' ? nullIfMissing(payments.expireSession(found.id)) : found;
}

/** Finds the session of a hold when the answer of the call that created it was lost; null when there is none. */
export function findSession(payments: Payments, booking: BookingFacts): Promise<PaymentSession | null> {
  return payments.findSession(booking.orderId ?? booking.id, sinceOf(booking));
}

/** Returns the result of a payment by a saved card. Throws `ProviderError` while a call may still be on its way. */
async function findCardPayment(
  { payments, clock }: Services,
  booking: BookingFacts,
  payment: PaymentFacts,
): Promise<PaymentSession | null> {
  if (payment.cardAt === null) return null;
  const found = await payments.findCharge(payment.key, sinceOf(booking));
  if (found === null && clock().getTime() - payment.cardAt.getTime() < CARD_CALL_MS)
    throw new ProviderError(payments.provider, 'card_call_running', {
      retryable: true,
      ambiguous: true,
      outage: false,
    });
  return found;
}

const sinceOf = ({ createdAt }: BookingFacts): Date => new Date(createdAt.getTime() - CLOCK_TOLERANCE_MS);

/** What a caller has just learned of an attempt. */
type AttemptChanges = Partial<Pick<PaymentFacts, 'sessionId' | 'cardAt'>>;

/**
 * Ends an attempt at the provider. `changes`: what the caller has just learned of it. For a minute the end of its session does not end the hold. Returns false
 * when it was paid first, which is settled then. Throws `ProviderError` when nobody knows whether it can still be paid.
 */
export async function endAttempt(
  services: Services,
  hold: BookingFacts,
  payment: PaymentFacts,
  changes: AttemptChanges = {},
): Promise<boolean> {
  const until = new Date(services.clock().getTime() + REPLACING_MS);
  const begun = await callJson(services.db, 'begin_replacing', { p_payment: payment.id, p_until: until }, toPayment);
  failpoint('card.replace.before.close');
  // As it is now: another call may have asked for the money of its card a moment ago. None begins after this.
  const session = await closeSession(services, hold, {
    ...(begun ?? payment),
    ...changes,
  });
  failpoint('card.replace.after.close');
  if (session === null || session.status === 'expired') return true;
  await settleSession(services, session, 'hold_expired');
  return false;
}

/**
 * Ends an attempt at the provider and begins the next one: with a saved card, or on the pay page for null. Returns null when the attempt was paid
 * first. Throws as `endAttempt`, and `Refusal` when the hold is over.
 */
export async function replaceAttempt(
  services: Services,
  hold: BookingFacts,
  payment: PaymentFacts,
  { card, changes = {} }: { readonly card: string | null; readonly changes?: AttemptChanges },
): Promise<PaymentFacts | null> {
  const { db, clock, config } = services;
  if (!(await endAttempt(services, hold, payment, changes))) return null;
  const now = clock();
  const expires = sessionExpiry(now, hold.holdExpiresAt ?? now, config.sessionMinutes);
  const args = { p_payment: payment.id, p_card: card, p_now: now, p_expires: expires };
  const next = await callJson(db, 'replace_attempt', args, toPayment);
  if (next === null) throw holdOver();
  return next;
}

/** The hold that was to be paid is over. */
export const holdOver = (): Refusal =>
  new Refusal('slot_taken', 'This time is no longer held for you. Please choose again.');

/** The answer to staff who would end a hold that its customer is paying for at this moment. */
export const paymentOnItsWay = (bookingId: string): Refusal =>
  new Refusal(
    'payment_processing',
    'The customer is paying for this booking, so nothing was changed. Look at it again.',
    { bookingId },
  );
