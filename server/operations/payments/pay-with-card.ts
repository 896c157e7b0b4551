import { formatStudioRange } from '#rules/studio-time.ts';
import { withSubject } from '#server/db/request-scope.ts';
import { ProviderError } from '#server/providers/call.ts';
import type { CardAnswer } from '#server/providers/ports.ts';
import { callSql } from '../core/call-sql.ts';
import {
  type BookingFacts,
  customersReference,
  latestPayment,
  type PaymentFacts,
  readBooking,
} from '../core/booking-rows.ts';
import { failpoint } from '../core/failpoint.ts';
import { withTimeout } from '../core/timeout.ts';
import { readCustomer } from '../customers/provider-customer.ts';
import { holdOver, replaceAttempt } from './close-session.ts';
import { getReason } from './provider-errors.ts';
import { settleSession } from './settle.ts';
import type { Services } from '../core/services.ts';

/**
 * The result of charging a saved card. `paid`: the booking has the hours. `unknown`: the provider has not answered; repeating the call
 * finds out. Otherwise no money was taken and the customer can use the pay page: the bank `declined`, it `needs_customer` to confirm on a
 * page, or the card is `gone`.
 */
export type CardOutcome = 'paid' | 'unknown' | NonNullable<CardAnswer['problem']>;

/**
 * Pays a hold with a saved card of its customer, and settles it like any payment. An attempt is either for the pay page or for one card,
 * and the next one starts only when the previous one can no longer be paid, so a hold is never paid twice. Repeating the call never charges
 * the card again. Throws `Refusal` if the hold has ended.
 */
export function payWithCard(
  services: Services,
  hold: BookingFacts,
  { card, userId }: { readonly card: string; readonly userId: string },
  waitMs: number,
): Promise<CardOutcome> {
  const paying = withSubject(hold.id, () => pay(services, hold, card, userId));
  return withTimeout(services.log, waitMs, paying, 'unknown');
}

async function pay(services: Services, hold: BookingFacts, card: string, userId: string): Promise<CardOutcome> {
  try {
    const attempt = await cardAttempt(services, hold, card);
    return attempt === null ? await readResult(services, hold) : await charge(services, hold, attempt, userId);
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    services.log.warn(
      { booking: hold.id, reason: getReason(error) },
      'a payment by saved card has no answer yet; its outcome is read later',
    );
    return 'unknown';
  }
}

/** Returns the attempt that this card pays. Null if the hold was paid in another way in the meantime. */
async function cardAttempt(services: Services, hold: BookingFacts, card: string): Promise<PaymentFacts | null> {
  const payment = await latestPayment(services.db, hold.id);
  if (payment === null || !['intent', 'open', 'expired'].includes(payment.state)) return null;
  if (payment.state === 'intent' && payment.card === card) return payment;
  return replaceAttempt(services, hold, payment, { card });
}

/** Charges the card and settles the provider's answer. */
async function charge(
  services: Services,
  hold: BookingFacts,
  attempt: PaymentFacts,
  userId: string,
): Promise<CardOutcome> {
  const { db, payments, clock } = services;
  const customerId = await readCustomer(db, userId);
  if (attempt.card === null || customerId === null) return leaveCard(services, hold, attempt, { problem: 'gone' });
  const begun = await callSql(db, 'begin_card_payment', { p_payment: attempt.id, p_now: clock() });
  // Another call has settled or replaced the attempt in the meantime.
  if (begun !== true) return readResult(services, hold);
  failpoint('card.before.charge');
  const answer = await payments.chargeCard({
    key: attempt.key,
    customerId,
    cardId: attempt.card,
    bookingId: hold.id,
    amountCents: attempt.amountCents,
    description: `${hold.studioName}, ${formatStudioRange(hold.startTime, hold.endTime)}`,
    metadata: { reference: await customersReference(db, hold) },
  });
  failpoint('card.after.charge');
  if (answer.problem !== null)
    return leaveCard(services, hold, attempt, { problem: answer.problem, sessionId: answer.session?.id });
  await settleSession(services, answer.session, 'hold_expired');
  failpoint('card.after.settle');
  return readResult(services, hold);
}

/** Switches to the pay page after a card could not be charged. The card's payment is cancelled, so that it cannot be charged later. */
async function leaveCard(
  services: Services,
  hold: BookingFacts,
  attempt: PaymentFacts,
  {
    problem,
    sessionId,
  }: { readonly problem: NonNullable<CardAnswer['problem']>; readonly sessionId?: string | undefined },
): Promise<CardOutcome> {
  const changes = sessionId === undefined ? { cardAt: null } : { sessionId };
  const next = await replaceAttempt(services, hold, attempt, { card: null, changes });
  return next === null ? readResult(services, hold) : problem;
}

/** Returns whether a hold was paid, by this call or another. Throws `Refusal` if it has ended; money that came too late is refunded. */
async function readResult({ db }: Services, hold: BookingFacts): Promise<CardOutcome> {
  const now = await readBooking(db, hold.id);
  if (now?.status === 'confirmed' || (hold.movesBooking !== null && now?.cancelReason === 'replaced')) return 'paid';
  if (now?.status === 'pending') return 'unknown';
  throw holdOver();
}
