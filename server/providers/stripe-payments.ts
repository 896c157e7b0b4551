import Stripe from 'stripe';
import { PROVIDER_TIMEOUT_MS, ProviderError, WebhookRefused } from './call.ts';
import type { Dispute, NewPaymentSession, Payments, PaymentSession, ProviderEvent, Refund } from './ports.ts';

export type StripeConfig = {
  readonly secretKey: string;
  readonly webhookSecret: string;
  /** Null: Stripe's own URL. */
  readonly apiUrl: string | null;
  /** Payment methods to offer; `card` includes Apple Pay and Google Pay. */
  readonly methods: readonly string[];
};

/** How many sessions or events a search reads at most. */
const SCAN_MAX = 1_000;
/** How far a signature's date may be from now, in either direction (docs.stripe.com/webhooks#replay-attacks). */
const SIGNATURE_TOLERANCE_S = 300;
/** Methods whose payment succeeds or fails days after the customer has finished. */
const DELAYED_METHODS: readonly string[] = ['au_becs_debit'];
/** Expanded in each session: its payment and the charge, which shows refunds and disputes. */
const EXPAND = ['payment_intent.latest_charge'];
/** Events about changes of a payment (docs.stripe.com/api/events/types). */
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
  // We retry ourselves: with the same key, and knowing what is ambiguous.
  return new Stripe(secretKey, { ...at, maxNetworkRetries: 0, timeout: PROVIDER_TIMEOUT_MS, telemetry: false });
}
function addressOf(url: URL): { host: string; port: string; protocol: 'http' | 'https' } {
  const protocol = url.protocol === 'http:' ? 'http' : 'https';
  return { host: url.hostname, port: url.port || (protocol === 'http' ? '80' : '443'), protocol };
}

/** Turns the SDK's errors into `ProviderError`. */
export function stripeError(error: unknown): ProviderError {
  if (error instanceof ProviderError) return error;
  if (error instanceof Stripe.errors.StripeConnectionError)
    return new ProviderError('stripe', 'no_answer', { retryable: true, ambiguous: true }, error);
  if (error instanceof Stripe.errors.StripeError) {
    const status = error.statusCode ?? 0;
    const again = status === 409 || status === 429 || status >= 500 || status === 0;
    // 409: the first call with this key is still running.
    return new ProviderError(
      'stripe',
      error.code ?? error.type ?? `http_${status}`,
      { retryable: again, ambiguous: status === 409 || status >= 500 || status === 0, outage: again && status !== 409 },
      error,
    );
  }
  return new ProviderError('stripe', 'no_answer', { retryable: true, ambiguous: true }, error);
}
const withProviderErrors = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    throw stripeError(error);
  }
};

/** Adapter for payments on Stripe's hosted page (docs.stripe.com/api/checkout/sessions). */
export function createStripePayments(config: StripeConfig): Payments {
  const stripe = createStripeClient(config.secretKey, config.apiUrl);
  const live = /^[rs]k_live_/.test(config.secretKey);

  async function scan(
    since: Date,
    wanted: (session: PaymentSession) => boolean,
    max: number,
  ): Promise<PaymentSession[]> {
    const found: PaymentSession[] = [];
    let scanned = 0;
    for await (const session of stripe.checkout.sessions.list({
      limit: 100,
      created: { gte: Math.floor(since.getTime() / 1000) },
      expand: EXPAND.map((path) => `data.${path}`),
    })) {
      const read = readSession(session);
      if (wanted(read)) found.push(read);
      scanned += 1;
      if (found.length >= max || scanned >= SCAN_MAX) break;
    }
    return found;
  }

  const retrieve = async (id: string): Promise<PaymentSession> =>
    readSession(await stripe.checkout.sessions.retrieve(id, { expand: EXPAND }));

  return {
    createSession: (input) =>
      withProviderErrors(async () =>
        readSession(
          await stripe.checkout.sessions.create(sessionParams(input, config.methods), { idempotencyKey: input.key }),
        ),
      ),
    getSession: (id) => withProviderErrors(() => retrieve(id)),
    findSession: (bookingId, since) =>
      withProviderErrors(async () => (await scan(since, (session) => session.bookingId === bookingId, 1))[0] ?? null),
    findSessionOfIntent: (paymentIntentId) =>
      withProviderErrors(async () => {
        const { data } = await stripe.checkout.sessions.list({ payment_intent: paymentIntentId, limit: 1 });
        return data[0] ? retrieve(data[0].id) : null;
      }),
    listSessions: (since) => withProviderErrors(() => scan(since, () => true, SCAN_MAX)),
    expireSession: (id) =>
      withProviderErrors(async () => {
        try {
          return readSession(await stripe.checkout.sessions.expire(id, { expand: EXPAND }));
        } catch (error) {
          // Only open sessions can be expired: read the state of this one.
          if (error instanceof Stripe.errors.StripeInvalidRequestError && error.statusCode === 400) return retrieve(id);
          throw error;
        }
      }),
    refund: (input) =>
      withProviderErrors(async () =>
        readRefund(
          // No amount means all that is left, so a repeated call is identical whatever was refunded meanwhile.
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
      withProviderErrors(async () =>
        (await stripe.refunds.list({ payment_intent: paymentIntentId, limit: 100 })).data.map(readRefund),
      ),
    listDisputes: (paymentIntentId) =>
      withProviderErrors(async () =>
        (await stripe.disputes.list({ payment_intent: paymentIntentId, limit: 100 })).data.map(readDispute),
      ),
    listEvents: (since) =>
      withProviderErrors(async () => {
        const found: ProviderEvent[] = [];
        for await (const event of stripe.events.list({
          limit: 100,
          types: [...EVENT_TYPES],
          created: { gte: Math.floor(since.getTime() / 1000) },
        })) {
          found.push(readStripeEvent(event));
          if (found.length >= SCAN_MAX) break;
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
      // The library checks only the age: a signature dated in the future would stay valid until then.
      const latest = Math.floor(Date.now() / 1000) + SIGNATURE_TOLERANCE_S;
      for (const [, time] of signature.matchAll(/(?:^|,)\s*t=(\d+)/g))
        if (Number(time) > latest) throw new WebhookRefused('the signature is dated ahead');
      if (event.livemode !== live)
        throw new WebhookRefused(`a ${event.livemode ? 'live' : 'test'} event for a ${live ? 'live' : 'test'} key`);
      return readStripeEvent(event);
    },
  };

  function readSession(session: Stripe.Checkout.Session): PaymentSession {
    // Our key sees only its own mode: anything else did not come from Stripe.
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

/** Reads a dispute. Inquiries (`warning_…`) count too: staff must answer them, although no money has moved. */
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

/** Narrows a text to a known value. Throws `ProviderError` for a new one instead of guessing. */
export function oneOf<const T extends string>(known: readonly T[], word: string): T {
  const found = known.find((one) => one === word);
  if (found === undefined) throw new ProviderError('stripe', 'unknown_status', { retryable: true });
  return found;
}
