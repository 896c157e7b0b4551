import Stripe from 'stripe';
import { PROVIDER_TIMEOUT_MS, ProviderError, WebhookRefused } from './call.ts';
import type { Dispute, NewPaymentSession, Payments, PaymentSession, ProviderEvent, Refund } from './ports.ts';

export type StripeConfig = {
  readonly secretKey: string;
  readonly webhookSecret: string;
  /** Null: the provider's own address. */
  readonly apiUrl: string | null;
  /** Payment methods that may be offered; wallets of the phone come with `card`. */
  readonly methods: readonly string[];
};

/** Sessions read when one is looked for: a page at a time, at most so many. */
const LOOK_MAX = 1_000;
/** How far the date of a signature may lie from now, back or ahead (docs.stripe.com/webhooks#replay-attacks). */
const SIGNATURE_TOLERANCE_S = 300;
/** Methods whose money arrives, or fails to, days after the customer has finished. */
const DELAYED_METHODS: readonly string[] = ['au_becs_debit'];
/** What is asked of a session each time: its payment and the charge, which tells of refunds and disputes. */
const EXPAND = ['payment_intent.latest_charge'];
/** Events that say that something about a payment has changed (docs.stripe.com/api/events/types). */
const EVENT_TYPES = [
  'checkout.session.completed',
  'checkout.session.expired',
  'checkout.session.async_payment_succeeded',
  'checkout.session.async_payment_failed',
  'charge.refunded',
  'charge.refund.updated',
  'refund.created',
  'refund.updated',
  'refund.failed',
  'charge.dispute.created',
  'charge.dispute.updated',
  'charge.dispute.closed',
] as const;

export function createStripeClient(secretKey: string, apiUrl: string | null): Stripe {
  const at = apiUrl === null ? {} : addressOf(new URL(apiUrl));
  // Retries are ours: they carry the same key and know what is ambiguous.
  return new Stripe(secretKey, { ...at, maxNetworkRetries: 0, timeout: PROVIDER_TIMEOUT_MS, telemetry: false });
}
function addressOf(url: URL): { host: string; port: string; protocol: 'http' | 'https' } {
  const protocol = url.protocol === 'http:' ? 'http' : 'https';
  return { host: url.hostname, port: url.port || (protocol === 'http' ? '80' : '443'), protocol };
}

/** Turns whatever the SDK throws into what the operations understand. */
export function stripeError(error: unknown): ProviderError {
  if (error instanceof ProviderError) return error;
  if (error instanceof Stripe.errors.StripeConnectionError)
    return new ProviderError('stripe', 'no_answer', { retryable: true, ambiguous: true }, error);
  if (error instanceof Stripe.errors.StripeError) {
    const status = error.statusCode ?? 0;
    const again = status === 409 || status === 429 || status >= 500 || status === 0;
    // 409: the first call with this key is still under way.
    return new ProviderError(
      'stripe',
      error.code ?? error.type ?? `http_${status}`,
      { retryable: again, ambiguous: status === 409 || status >= 500 || status === 0, outage: again && status !== 409 },
      error,
    );
  }
  return new ProviderError('stripe', 'no_answer', { retryable: true, ambiguous: true }, error);
}
const guarded = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    throw stripeError(error);
  }
};

/** Payments by Stripe's hosted page (docs.stripe.com/api/checkout/sessions). */
export function createStripePayments(config: StripeConfig): Payments {
  const stripe = createStripeClient(config.secretKey, config.apiUrl);
  const live = /^[rs]k_live_/.test(config.secretKey);

  async function scan(
    since: Date,
    wanted: (session: PaymentSession) => boolean,
    enough: number,
  ): Promise<PaymentSession[]> {
    const found: PaymentSession[] = [];
    let looked = 0;
    for await (const session of stripe.checkout.sessions.list({
      limit: 100,
      created: { gte: Math.floor(since.getTime() / 1000) },
      expand: EXPAND.map((path) => `data.${path}`),
    })) {
      const read = readSession(session);
      if (wanted(read)) found.push(read);
      looked += 1;
      if (found.length >= enough || looked >= LOOK_MAX) break;
    }
    return found;
  }

  const retrieve = async (id: string): Promise<PaymentSession> =>
    readSession(await stripe.checkout.sessions.retrieve(id, { expand: EXPAND }));

  return {
    createSession: (input) =>
      guarded(async () =>
        readSession(
          await stripe.checkout.sessions.create(sessionParams(input, config.methods), { idempotencyKey: input.key }),
        ),
      ),
    getSession: (id) => guarded(() => retrieve(id)),
    findSession: (bookingId, since) =>
      guarded(async () => (await scan(since, (session) => session.bookingId === bookingId, 1))[0] ?? null),
    findSessionOfIntent: (paymentIntentId) =>
      guarded(async () => {
        const { data } = await stripe.checkout.sessions.list({ payment_intent: paymentIntentId, limit: 1 });
        return data[0] ? retrieve(data[0].id) : null;
      }),
    listSessions: (since) => guarded(() => scan(since, () => true, LOOK_MAX)),
    expireSession: (id) =>
      guarded(async () => {
        try {
          return readSession(await stripe.checkout.sessions.expire(id, { expand: EXPAND }));
        } catch (error) {
          // Only open sessions can be expired: ask what became of this one.
          if (error instanceof Stripe.errors.StripeInvalidRequestError && error.statusCode === 400) return retrieve(id);
          throw error;
        }
      }),
    refund: (input) =>
      guarded(async () =>
        readRefund(
          // Without an amount it is all that is left: a repeated call says the very same, whatever was given back meanwhile.
          await stripe.refunds.create(
            {
              payment_intent: input.paymentIntentId,
              reason: 'requested_by_customer',
              metadata: { key: input.key },
            },
            { idempotencyKey: input.key },
          ),
        ),
      ),
    listRefunds: (paymentIntentId) =>
      guarded(async () =>
        (await stripe.refunds.list({ payment_intent: paymentIntentId, limit: 100 })).data.map(readRefund),
      ),
    listDisputes: (paymentIntentId) =>
      guarded(async () =>
        (await stripe.disputes.list({ payment_intent: paymentIntentId, limit: 100 })).data.map(readDispute),
      ),
    listEvents: (since) =>
      guarded(async () => {
        const found: ProviderEvent[] = [];
        for await (const event of stripe.events.list({
          limit: 100,
          types: [...EVENT_TYPES],
          created: { gte: Math.floor(since.getTime() / 1000) },
        })) {
          found.push(readStripeEvent(event));
          if (found.length >= LOOK_MAX) break;
        }
        return found.toReversed();
      }),
    readEvent(rawBody, signature) {
      let event: Stripe.Event;
      try {
        event = stripe.webhooks.constructEvent(rawBody, signature, config.webhookSecret, SIGNATURE_TOLERANCE_S);
      } catch (cause) {
        throw new WebhookRefused('the signature does not fit', { cause });
      }
      // The client library looks at the age alone: a date far ahead would stay good for as long.
      const latest = Math.floor(Date.now() / 1000) + SIGNATURE_TOLERANCE_S;
      for (const [, time] of signature.matchAll(/(?:^|,)\s*t=(\d+)/g))
        if (Number(time) > latest) throw new WebhookRefused('the signature is dated ahead');
      if (event.livemode !== live)
        throw new WebhookRefused(`a ${event.livemode ? 'live' : 'test'} event for a ${live ? 'live' : 'test'} key`);
      return readStripeEvent(event);
    },
  };

  function readSession(session: Stripe.Checkout.Session): PaymentSession {
    // Our key sees its own mode alone: anything else did not come from where we asked.
    if (session.livemode !== live) throw new ProviderError('stripe', 'livemode_mismatch', { retryable: false });
    const intent = session.payment_intent;
    const known = intent !== null && typeof intent === 'object' ? intent : null;
    const charge = known?.latest_charge ?? null;
    const paid = charge !== null && typeof charge === 'object' ? charge : null;
    return {
      id: session.id,
      url: session.url,
      status: oneOf(['open', 'complete', 'expired'], session.status ?? 'open'),
      paymentStatus: oneOf(['unpaid', 'paid', 'no_payment_required'], session.payment_status),
      intentStatus: known === null ? null : oneOf(INTENT_STATUSES, known.status),
      amountCents: session.amount_total ?? -1,
      currency: session.currency ?? '',
      bookingId: session.client_reference_id,
      paymentIntentId: typeof intent === 'string' ? intent : (intent?.id ?? null),
      refundedCents: paid?.amount_refunded ?? 0,
      disputed: paid?.disputed ?? false,
      livemode: session.livemode,
      metadata: session.metadata ?? {},
    };
  }
}

const INTENT_STATUSES = [
  'requires_payment_method',
  'requires_confirmation',
  'requires_action',
  'processing',
  'requires_capture',
  'canceled',
  'succeeded',
] as const;

function sessionParams(input: NewPaymentSession, methods: readonly string[]): Stripe.Checkout.SessionCreateParams {
  return {
    mode: 'payment',
    line_items: [
      {
        quantity: 1,
        price_data: {
          currency: 'aud',
          unit_amount: input.amountCents,
          product_data: { name: input.description },
        },
      },
    ],
    allowed_payment_method_types: methods.filter((one) => input.allowDelayed || !DELAYED_METHODS.includes(one)),
    customer_email: input.customerEmail,
    client_reference_id: input.bookingId,
    metadata: { ...input.metadata },
    payment_intent_data: { metadata: { ...input.metadata } },
    success_url: input.successUrl,
    cancel_url: input.cancelUrl,
    expires_at: Math.floor(input.expiresAt.getTime() / 1000),
  };
}

function readRefund(refund: Stripe.Refund): Refund {
  return {
    id: refund.id,
    status: oneOf(['pending', 'succeeded', 'failed', 'requires_action', 'canceled'], refund.status ?? 'pending'),
    amountCents: refund.amount,
    ours: refund.metadata?.['key']?.startsWith('refund:') === true,
  };
}

/** Inquiries (`warning_…`) are disputes too: somebody has to answer them, though the money has not moved yet. */
function readDispute(dispute: Stripe.Dispute): Dispute {
  const status = ['won', 'warning_closed', 'prevented'].includes(dispute.status)
    ? 'won'
    : dispute.status === 'lost'
      ? 'lost'
      : 'open';
  return { id: dispute.id, status, createdAt: new Date(dispute.created * 1000) };
}

function readStripeEvent(event: Stripe.Event): ProviderEvent {
  const object: object = event.data.object;
  const word = (name: string): string | null => {
    const value: unknown = Object.entries(object).find(([key]) => key === name)?.[1];
    return typeof value === 'string' ? value : null;
  };
  return {
    id: event.id,
    type: event.type,
    objectId: word('id') ?? '',
    paymentIntentId: word('payment_intent'),
    livemode: event.livemode,
  };
}

/** A word we know; a new one of the provider's is not guessed at. */
export function oneOf<const T extends string>(known: readonly T[], word: string): T {
  const found = known.find((one) => one === word);
  if (found === undefined) throw new ProviderError('stripe', 'unknown_status', { retryable: true });
  return found;
}
