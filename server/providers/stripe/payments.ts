import type { Payments } from '../ports.ts';
import type { StripeAccount } from './intent.ts';
import { createStripeClient, withProviderErrors } from './client.ts';
import { chargeCard, findCharge } from './charges.ts';
import { createCustomer, deleteCustomer, listCards, removeCard, setCustomerEmail } from './customers.ts';
import { listEvents, readEvent } from './events.ts';
import { listLedger } from './ledger.ts';
import { createRefund, listDisputes, listRefunds } from './refunds.ts';
import { createSession, expireSession, findSessionOfIntent, getSession, listSessions, SCAN_MAX } from './sessions.ts';

export type StripeConfig = {
  readonly secretKey: string;
  /** The secrets that sign events. A signature by any of them is accepted. */
  readonly webhookSecrets: readonly string[];
  /** Null for Stripe's own URL. */
  readonly apiUrl: string | null;
  /** The payment methods to offer. `card` includes Apple Pay and Google Pay. */
  readonly methods: readonly string[];
};

/** Adapter for payments on Stripe's hosted page (docs.stripe.com/api/checkout/sessions). */
export function createStripePayments(config: StripeConfig, viaFetch?: typeof fetch): Payments {
  const stripe = createStripeClient(config.secretKey, config.apiUrl, viaFetch);
  const live = /^[rs]k_live_/.test(config.secretKey);
  const context: StripeAccount = { stripe, live };
  const webhooks = { stripe, live, secrets: config.webhookSecrets };
  return {
    provider: 'stripe',
    createSession: (input) => withProviderErrors(() => createSession(context, input, config.methods)),
    getSession: (id) => withProviderErrors(() => getSession(context, id)),
    findSession: (bookingId, since) =>
      withProviderErrors(async () => {
        const [newest] = await listSessions(context, since, 1, (session) => session.bookingId === bookingId);
        return newest ?? null;
      }),
    findSessionOfIntent: (intentId) => withProviderErrors(() => findSessionOfIntent(context, intentId)),
    listSessions: (since) => withProviderErrors(() => listSessions(context, since, SCAN_MAX)),
    expireSession: (id) => withProviderErrors(() => expireSession(context, id)),
    createCustomer: (input) => withProviderErrors(() => createCustomer(stripe, input)),
    setCustomerEmail: (id, email) => withProviderErrors(() => setCustomerEmail(stripe, id, email)),
    deleteCustomer: (id) => withProviderErrors(() => deleteCustomer(stripe, id)),
    listCards: (id) => withProviderErrors(() => listCards(stripe, id)),
    removeCard: (id, card) => withProviderErrors(() => removeCard(stripe, id, card)),
    chargeCard: (input) => withProviderErrors(() => chargeCard(context, input)),
    findCharge: (key, since) => withProviderErrors(() => findCharge(context, key, since)),
    refund: (input) => withProviderErrors(() => createRefund(stripe, input)),
    listRefunds: (intentId) => withProviderErrors(() => listRefunds(stripe, intentId)),
    listDisputes: (intentId) => withProviderErrors(() => listDisputes(stripe, intentId)),
    listEvents: (since) => withProviderErrors(() => listEvents(stripe, since)),
    listLedger: (since) => withProviderErrors(() => listLedger(stripe, since)),
    readEvent: (rawBody, signature) => readEvent(webhooks, rawBody, signature),
  };
}
