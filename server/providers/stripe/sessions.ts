import Stripe from 'stripe';
import { ProviderError } from '../call.ts';
import type { NewPaymentSession, PaymentSession } from '../ports.ts';
import { cancelCharge, findChargeOfIntent, getCharge, isCharge } from './charges.ts';
import { parseChoice } from './client.ts';
import { INTENT_STATUSES, type StripeAccount, toDecline } from './intent.ts';
import { customerReply as withId, listReply, read, sessionReply } from './replies.ts';

/** Maximum number of sessions that a search reads. */
export const SCAN_MAX = 1_000;
/** Methods whose payment succeeds or fails days after the customer has finished. */
const DELAYED_METHODS: readonly string[] = ['au_becs_debit'];
/** The fields expanded in each session: its payment and the charge, which contains refunds and disputes. */
const EXPAND = ['payment_intent.latest_charge'];

/** Creates a session that offers the given payment methods. The same key returns the same session. */
export async function createSession(
  { stripe, live }: StripeAccount,
  input: NewPaymentSession,
  methods: readonly string[],
): Promise<PaymentSession> {
  const params: Stripe.Checkout.SessionCreateParams = {
    mode: 'payment',
    line_items: input.items.map(({ description, amountCents }) => ({
      quantity: 1,
      price_data: { currency: 'aud', unit_amount: amountCents, product_data: { name: description } },
    })),
    allowed_payment_method_types: methods.filter((method) => input.allowDelayed || !DELAYED_METHODS.includes(method)),
    ...(input.customerId === null
      ? { customer_email: input.customerEmail }
      : { customer: input.customerId, saved_payment_method_options: { payment_method_save: 'enabled' as const } }),
    client_reference_id: input.bookingId,
    metadata: { ...input.metadata },
    payment_intent_data: { metadata: { ...input.metadata } },
    success_url: input.successUrl,
    cancel_url: input.cancelUrl,
    expires_at: Math.floor(input.expiresAt.getTime() / 1000),
  };
  return toSession(await stripe.checkout.sessions.create(params, { idempotencyKey: input.key }), live);
}

/** Reads a session, or a payment by a saved card, which has no session. */
export async function getSession(context: StripeAccount, id: string): Promise<PaymentSession> {
  if (isCharge(id)) return getCharge(context, id);
  const { stripe, live } = context;
  return toSession(await stripe.checkout.sessions.retrieve(id, { expand: EXPAND }), live);
}

/** Finds the session of a payment. Returns null if it has none. */
export async function findSessionOfIntent(
  context: StripeAccount,
  paymentIntentId: string,
): Promise<PaymentSession | null> {
  const found = await context.stripe.checkout.sessions.list({ payment_intent: paymentIntentId, limit: 1 });
  const [first] = read(listReply, found).data;
  return first === undefined
    ? findChargeOfIntent(context, paymentIntentId)
    : getSession(context, read(withId, first).id);
}

/** Lists sessions created since then, newest first: at most `max` of those that `accepts` selects. */
export async function listSessions(
  { stripe, live }: StripeAccount,
  since: Date,
  max: number,
  accepts: (session: PaymentSession) => boolean = () => true,
): Promise<PaymentSession[]> {
  const found: PaymentSession[] = [];
  let scanned = 0;
  for await (const session of stripe.checkout.sessions.list({
    limit: 100,
    created: { gte: Math.floor(since.getTime() / 1000) },
    expand: EXPAND.map((path) => `data.${path}`),
  })) {
    const read = toSession(session, live);
    if (accepts(read)) found.push(read);
    scanned += 1;
    if (found.length >= max || scanned >= SCAN_MAX) break;
  }
  return found;
}

/** Closes an open session. If it is no longer open, reads its state. */
export async function expireSession(context: StripeAccount, id: string): Promise<PaymentSession> {
  if (isCharge(id)) return cancelCharge(context, id);
  const { stripe, live } = context;
  try {
    return toSession(await stripe.checkout.sessions.expire(id, { expand: EXPAND }), live);
  } catch (error) {
    // Only open sessions can be expired.
    if (error instanceof Stripe.errors.StripeInvalidRequestError && error.statusCode === 400)
      return getSession(context, id);
    throw error;
  }
}

function toSession(reply: unknown, live: boolean): PaymentSession {
  const session = read(sessionReply, reply);
  // The key sees only its own mode, so an object of the other mode did not come from Stripe.
  if (session.livemode !== live) throw new ProviderError('stripe', 'livemode_mismatch', { retryable: false });
  const intent = expanded(session.payment_intent ?? null);
  const charge = expanded(intent?.latest_charge ?? null);
  return {
    id: session.id,
    url: session.url ?? null,
    status: parseChoice(['open', 'complete', 'expired'], session.status ?? 'open'),
    paymentStatus: parseChoice(['unpaid', 'paid', 'no_payment_required'], session.payment_status),
    intentStatus: intent === null ? null : parseChoice(INTENT_STATUSES, intent.status),
    amountCents: session.amount_total ?? -1,
    currency: session.currency ?? '',
    bookingId: session.client_reference_id ?? null,
    paymentIntentId: typeof session.payment_intent === 'string' ? session.payment_intent : (intent?.id ?? null),
    decline: intent === null ? null : toDecline(intent),
    refundedCents: charge?.amount_refunded ?? 0,
    disputed: charge?.disputed ?? false,
    livemode: session.livemode,
    metadata: session.metadata ?? {},
  };
}

/** Returns the object of an expanded field. Returns null if the field is empty or contains only an id. */
function expanded<T extends object>(field: string | T | null): T | null {
  return typeof field === 'string' ? null : field;
}
