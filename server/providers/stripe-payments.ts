import Stripe from 'stripe';
import { PROVIDER_TIMEOUT_MS, ProviderError, WebhookRefused } from './call.ts';
import type { Payments, PaymentSession, Refund } from './ports.ts';

export type StripeConfig = {
  readonly secretKey: string;
  readonly webhookSecret: string;
  /** Null: the provider's own address. */
  readonly apiUrl: string | null;
};

/** Sessions read when one is looked for: a page at a time, at most so many. */
const LOOK_MAX = 1_000;

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

/** Card payments by Stripe's hosted page (providers.md 1; docs.stripe.com/api/checkout/sessions). */
export function createStripePayments(config: StripeConfig): Payments {
  const stripe = createStripeClient(config.secretKey, config.apiUrl);

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
    })) {
      const read = readSession(session);
      if (wanted(read)) found.push(read);
      looked += 1;
      if (found.length >= enough || looked >= LOOK_MAX) break;
    }
    return found;
  }

  return {
    createSession: (input) =>
      guarded(async () =>
        readSession(
          await stripe.checkout.sessions.create(
            {
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
              customer_email: input.customerEmail,
              client_reference_id: input.bookingId,
              metadata: { ...input.metadata },
              payment_intent_data: { metadata: { ...input.metadata } },
              success_url: input.successUrl,
              cancel_url: input.cancelUrl,
              expires_at: Math.floor(input.expiresAt.getTime() / 1000),
            },
            { idempotencyKey: input.key },
          ),
        ),
      ),
    getSession: (id) => guarded(async () => readSession(await stripe.checkout.sessions.retrieve(id))),
    findSession: (bookingId, since) =>
      guarded(async () => (await scan(since, (session) => session.bookingId === bookingId, 1))[0] ?? null),
    listSessions: (since) => guarded(() => scan(since, () => true, LOOK_MAX)),
    expireSession: (id) =>
      guarded(async () => {
        try {
          return readSession(await stripe.checkout.sessions.expire(id));
        } catch (error) {
          // Only open sessions can be expired: ask what became of this one.
          if (error instanceof Stripe.errors.StripeInvalidRequestError && error.statusCode === 400)
            return readSession(await stripe.checkout.sessions.retrieve(id));
          throw error;
        }
      }),
    refund: (input) =>
      guarded(async () => {
        try {
          return readRefund(
            await stripe.refunds.create(
              { payment_intent: input.paymentIntentId, amount: input.amountCents, reason: 'requested_by_customer' },
              { idempotencyKey: input.key },
            ),
          );
        } catch (error) {
          if (error instanceof Stripe.errors.StripeError && error.code === 'charge_already_refunded') {
            const [made] = (await stripe.refunds.list({ payment_intent: input.paymentIntentId, limit: 1 })).data;
            if (made) return readRefund(made);
          }
          throw error;
        }
      }),
    findRefund: (paymentIntentId) =>
      guarded(async () => {
        const [made] = (await stripe.refunds.list({ payment_intent: paymentIntentId, limit: 1 })).data;
        return made ? readRefund(made) : null;
      }),
    readEvent(rawBody, signature) {
      try {
        const event = stripe.webhooks.constructEvent(rawBody, signature, config.webhookSecret);
        const object = event.data.object;
        return {
          id: event.id,
          type: event.type,
          objectId: 'id' in object && typeof object.id === 'string' ? object.id : '',
          livemode: event.livemode,
        };
      } catch (cause) {
        throw new WebhookRefused('the signature does not fit', { cause });
      }
    },
  };
}

function readSession(session: Stripe.Checkout.Session): PaymentSession {
  const intent = session.payment_intent;
  return {
    id: session.id,
    url: session.url,
    status: oneOf(['open', 'complete', 'expired'], session.status ?? 'open'),
    paymentStatus: oneOf(['unpaid', 'paid', 'no_payment_required'], session.payment_status),
    amountCents: session.amount_total ?? -1,
    currency: session.currency ?? '',
    bookingId: session.client_reference_id,
    paymentIntentId: typeof intent === 'string' ? intent : (intent?.id ?? null),
    livemode: session.livemode,
    metadata: session.metadata ?? {},
  };
}

function readRefund(refund: Stripe.Refund): Refund {
  return {
    id: refund.id,
    status: oneOf(['pending', 'succeeded', 'failed', 'requires_action', 'canceled'], refund.status ?? 'pending'),
    amountCents: refund.amount,
  };
}

/** A word we know; a new one of the provider's is not guessed at. */
export function oneOf<const T extends string>(known: readonly T[], word: string): T {
  const found = known.find((one) => one === word);
  if (found === undefined) throw new ProviderError('stripe', 'unknown_status', { retryable: true });
  return found;
}
