import Stripe from 'stripe';
import { ProviderError } from '../call.ts';
import type { CardAnswer, CardCharge, PaymentSession } from '../ports.ts';
import { parseChoice } from './client.ts';
import { INTENT_STATUSES, type StripeAccount, toDecline } from './intent.ts';
import { intentReply, read } from './replies.ts';

/** Distinguishes payments by a saved card from those of pay pages, which have a session. */
const MARK = 'saved_card';
/** The fields expanded in each payment: the charge, which contains refunds and disputes. */
const EXPAND = ['latest_charge'];
/** Maximum number of payments that a search reads. */
const SCAN_MAX = 300;

/** Whether an id is that of a payment by a saved card and not that of a session. */
export const isCharge = (id: string): boolean => id.startsWith('pi_');

/** Whether the metadata of an event's object mark a payment by a saved card. */
export const isMarked = (metadata: Readonly<Record<string, unknown>>): boolean => metadata[MARK] === '1';

/** Charges a saved card while its customer is present (docs.stripe.com/api/payment_intents/create). */
export async function chargeCard({ stripe, live }: StripeAccount, input: CardCharge): Promise<CardAnswer> {
  try {
    const intent = await stripe.paymentIntents.create(
      {
        amount: input.amountCents,
        currency: 'aud',
        customer: input.customerId,
        payment_method: input.cardId,
        allowed_payment_method_types: ['card'],
        confirm: true,
        description: input.description,
        metadata: { ...input.metadata, booking_id: input.bookingId, key: input.key, [MARK]: '1' },
        expand: EXPAND,
      },
      { idempotencyKey: input.key },
    );
    const session = toSession(intent, live);
    return session.intentStatus === 'requires_action'
      ? { session, problem: 'needs_customer' }
      : { session, problem: null };
  } catch (error) {
    return refusedCharge(error, live);
  }
}

/** Returns the problem of a card that cannot be charged, in which case nothing was taken. Throws any other error of the call. */
function refusedCharge(error: unknown, live: boolean): CardAnswer {
  if (error instanceof Stripe.errors.StripeCardError) {
    const intent = error.payment_intent ?? null;
    const wantsPerson = [error.code, error.decline_code].includes('authentication_required');
    return {
      session: intent === null ? null : toSession(intent, live),
      problem: wantsPerson ? 'needs_customer' : 'declined',
    };
  }
  // There is no such card or customer, or the card no longer belongs to the customer.
  if (
    error instanceof Stripe.errors.StripeInvalidRequestError &&
    (error.statusCode === 400 || error.statusCode === 404) &&
    (error.param === 'payment_method' || error.param === 'customer')
  )
    return { session: null, problem: 'gone' };
  throw error;
}

export async function getCharge({ stripe, live }: StripeAccount, id: string): Promise<PaymentSession> {
  return toSession(await stripe.paymentIntents.retrieve(id, { expand: EXPAND }), live);
}

/** Reads a payment by its id. Returns null unless it is a payment by a saved card. */
export async function findChargeOfIntent(context: StripeAccount, id: string): Promise<PaymentSession | null> {
  try {
    const found = await getCharge(context, id);
    return isMarked(found.metadata) ? found : null;
  } catch (error) {
    if (error instanceof Stripe.errors.StripeInvalidRequestError && error.code === 'resource_missing') return null;
    throw error;
  }
}

/** Finds the payment with this key among those made since then, newest first. */
export async function findCharge(
  { stripe, live }: StripeAccount,
  key: string,
  since: Date,
): Promise<PaymentSession | null> {
  let scanned = 0;
  for await (const reply of stripe.paymentIntents.list({
    limit: 100,
    created: { gte: Math.floor(since.getTime() / 1000) },
    expand: EXPAND.map((path) => `data.${path}`),
  })) {
    const intent = read(intentReply, reply);
    if (isMarked(intent.metadata) && intent.metadata['key'] === key) return toSession(intent, live);
    scanned += 1;
    // An error is better than a wrong answer.
    if (scanned >= SCAN_MAX) throw new ProviderError('stripe', 'too_many_payments', { retryable: true, outage: false });
  }
  return null;
}

/** Cancels a payment that was not made. If it was made, reads its state. */
export async function cancelCharge(context: StripeAccount, id: string): Promise<PaymentSession> {
  const { stripe, live } = context;
  try {
    return toSession(await stripe.paymentIntents.cancel(id, { expand: EXPAND }), live);
  } catch (error) {
    if (error instanceof Stripe.errors.StripeInvalidRequestError && error.statusCode === 400)
      return getCharge(context, id);
    throw error;
  }
}

/** Returns a payment by a saved card in the form of a session, because both are settled in the same way. */
function toSession(reply: unknown, live: boolean): PaymentSession {
  const intent = read(intentReply, reply);
  if (intent.livemode !== live) throw new ProviderError('stripe', 'livemode_mismatch', { retryable: false });
  const intentStatus = parseChoice(INTENT_STATUSES, intent.status);
  const charge = typeof intent.latest_charge === 'string' ? null : intent.latest_charge;
  return {
    id: intent.id,
    url: null,
    status: toStatus(intentStatus),
    paymentStatus: intentStatus === 'succeeded' ? 'paid' : 'unpaid',
    intentStatus,
    amountCents: intent.amount,
    currency: intent.currency,
    bookingId: intent.metadata['booking_id'] ?? null,
    paymentIntentId: intent.id,
    decline: toDecline(intent),
    refundedCents: charge?.amount_refunded ?? 0,
    disputed: charge?.disputed ?? false,
    livemode: intent.livemode,
    metadata: intent.metadata,
  };
}

function toStatus(status: (typeof INTENT_STATUSES)[number]): PaymentSession['status'] {
  if (status === 'canceled') return 'expired';
  return status === 'succeeded' || status === 'processing' || status === 'requires_capture' ? 'complete' : 'open';
}
