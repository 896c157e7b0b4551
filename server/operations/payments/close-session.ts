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

/** How far the provider's clock may be behind ours. */
const CLOCK_TOLERANCE_MS = 60_000;
/** Time after which a call that charges a card has certainly ended, even if its result is unknown. */
const CARD_CALL_MS = 45_000;

/** Grace period during which a replaced session may expire without releasing the hold. */
const REPLACING_MS = 60_000;

/**
 * Closes the payment session of a hold at the provider and returns it, either `expired` or with what the customer did first. Returns null
 * if there is no session to pay. Throws `ProviderError` if the provider does not answer, or if a saved card is being charged at the moment.
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

/** Finds the session of a hold when the answer to the create call was lost. Null if there is none. */
export function findSession(payments: Payments, booking: BookingFacts): Promise<PaymentSession | null> {
  return payments.findSession(booking.orderId ?? booking.id, getSince(booking));
}

/** Returns the result of a payment with a saved card. Throws `ProviderError` while a call may still be running. */
async function findCardPayment(
  { payments, clock }: Services,
  booking: BookingFacts,
  payment: PaymentFacts,
): Promise<PaymentSession | null> {
  if (payment.cardAt === null) return null;
  const found = await payments.findCharge(payment.key, getSince(booking));
  if (found === null && clock().getTime() - payment.cardAt.getTime() < CARD_CALL_MS)
    throw new ProviderError(payments.provider, 'card_call_running', {
      retryable: true,
      ambiguous: true,
      outage: false,
    });
  return found;
}

const getSince = ({ createdAt }: BookingFacts): Date => new Date(createdAt.getTime() - CLOCK_TOLERANCE_MS);

/** Changes of an attempt that the caller has just learned of. */
type AttemptChanges = Partial<Pick<PaymentFacts, 'sessionId' | 'cardAt'>>;

/**
 * Ends an attempt at the provider. `changes`: what the caller has just learned of the attempt. For a minute, the end of its session does
 * not end the hold. Returns false if the attempt was paid first; the payment is then settled. Throws `ProviderError` if it is unknown
 * whether the attempt can still be paid.
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
  // Use the current row, because another call may just have started charging the card. No such call can start from now on.
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
 * Ends an attempt at the provider and starts the next one, with a saved card, or on the pay page if `card` is null. Returns null if the
 * attempt was paid first. Throws the same errors as `endAttempt`, and `Refusal` if the hold has ended.
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

/** Builds the refusal of a payment for a hold that has ended. */
export const holdOver = (): Refusal =>
  new Refusal('slot_taken', 'This time is no longer held for you. Please choose again.');

/** Builds the refusal for staff who try to end a hold while its customer is paying. */
export const paymentOnItsWay = (bookingId: string): Refusal =>
  new Refusal(
    'payment_processing',
    'The customer is paying for this booking right now, so nothing was changed. Reload the booking.',
    { bookingId },
  );
