import { createHmac, randomBytes } from 'node:crypto';
import type Stripe from 'stripe';
import type { Core } from '../../core/core.ts';

/** The API version of the webhook endpoint, and the only one the sandbox supports. */
export const API_VERSION = '2026-10-28.endive';
export const OFFSET = 1;

/** A Checkout Session with the data that its public object does not show. */
export type Checkout = {
  session: Stripe.Checkout.Session;
  items: Stripe.LineItem[];
  /** When the session expires, in seconds of sandbox time. */
  expiresAt: number;
  /** Values from `payment_intent_data`, for the payment intent that the first try creates. */
  intent: { metadata: Record<string, string>; description: string | null; receiptEmail: string | null };
  /** A delayed payment. `at`: when it ends, in seconds of sandbox time. `paid`: whether it succeeds. */
  pending: { at: number; paid: boolean } | null;
};
export type Check = {
  session: Stripe.Identity.VerificationSession;
  returnUrl: string | null;
  /** The person's input, or null before the first try and after redaction. */
  shown: LicenceFields | null;
  /** When the check was verified, in seconds of sandbox time. */
  verifiedAt: number | null;
  urlMadeAt: number;
};
/** The data that the person entered. Dates are YYYY-MM-DD. */
export type LicenceFields = { first: string; last: string; dob: string; expiry: string };

type Answered = { hash: string; status: number; body: string; at: number };
export type Ledger = {
  customers: Record<string, Stripe.Customer>;
  deletedCustomers: string[];
  /** Cards with their numbers, which no call returns. */
  cards: Record<string, { method: Stripe.PaymentMethod; number: string }>;
  checkouts: Record<string, Checkout>;
  intents: Record<string, Stripe.PaymentIntent>;
  charges: Record<string, Stripe.Charge>;
  refunds: Record<string, Stripe.Refund>;
  disputes: Record<string, Stripe.Dispute>;
  /** The movements of the account's money. */
  balance: Record<string, Stripe.BalanceTransaction>;
  /** The payouts from the balance to the bank account. */
  payouts: Record<string, Stripe.Payout>;
  /** Settings of the control API: how refunds through the API begin, and how the next webhooks are manipulated. */
  next: NextAnswers;
  checks: Record<string, Check>;
  reports: Record<string, Stripe.Identity.VerificationReport>;
  endpoints: Record<string, Stripe.WebhookEndpoint>;
  idempotency: Record<string, Answered>;
  /** The events, newest first. */
  events: StoredEvent[];
};
type NextAnswers = {
  refunds: { status: 'pending' | 'failed'; left: number } | null;
  webhooks: { livemode: boolean; aheadSeconds: number; left: number } | null;
};
type StoredEvent = {
  id: string;
  object: 'event';
  type: string;
  api_version: string;
  created: number;
  livemode: boolean;
  pending_webhooks: number;
  request: { id: string | null; idempotency_key: string | null };
  data: { object: { id: string; object: string }; previous_attributes?: Record<string, unknown> };
};

export type StripeState = {
  readonly ledger: Ledger;
  readonly core: Core;
  readonly baseUrl: string;
  /** Returns real time in seconds, for the dates of objects and events. */
  stamp(): number;
  /** Returns sandbox time in seconds, for expiry. */
  seconds(): number;
  changed(): void;
  /** Creates, stores and delivers an event with the current state of an object. */
  emit(type: string, object: { id: string; object: string }, previous?: Record<string, unknown>): void;
  reset(): void;
};

const EVENTS_MAX = 1_000;
const REDELIVER_S = 3_600;

export const newId = (prefix: string): string => `${prefix}_${randomBytes(12).toString('hex')}`;

/** Finds an object by id; ignores inherited properties such as `constructor`. */
export const byId = <T>(all: Readonly<Record<string, T>>, id: string): T | undefined =>
  Object.hasOwn(all, id) ? all[id] : undefined;

const emptyLedger = (): Ledger => ({
  customers: {},
  deletedCustomers: [],
  cards: {},
  checkouts: {},
  intents: {},
  charges: {},
  refunds: {},
  disputes: {},
  balance: {},
  payouts: {},
  next: { refunds: null, webhooks: null },
  checks: {},
  reports: {},
  endpoints: {},
  idempotency: {},
  events: [],
});

export function createStripeState(core: Core, secret: string): StripeState {
  const ledger = core.state.load<Ledger>('payments', emptyLedger());
  // A file of an earlier version lacks newer fields.
  Object.assign(ledger, { ...emptyLedger(), ...ledger });
  const stamp = (): number => Math.floor(Date.now() / 1000);

  function send(event: StoredEvent, url: string, signingSecret: string, aheadSeconds: number): void {
    const body = JSON.stringify(event);
    core.deliveries.send({
      provider: 'stripe',
      url,
      type: event.type,
      // The body is signed again for each try, because receivers refuse signatures older than 5 minutes.
      make: () => ({
        body,
        headers: {
          'content-type': 'application/json; charset=utf-8',
          'stripe-signature': sign(body, signingSecret, stamp() + aheadSeconds),
        },
      }),
      done() {
        event.pending_webhooks = Math.max(0, event.pending_webhooks - 1);
        core.state.changed();
      },
    });
  }
  function deliver(event: StoredEvent, aheadSeconds = 0): void {
    send(event, `${core.webhookTarget}/functions/v1/stripe-webhook`, secret, aheadSeconds);
    for (const endpoint of Object.values(ledger.endpoints)) {
      const isSubscribed = endpoint.enabled_events.some((type) => type === '*' || type === event.type);
      if (isSubscribed && endpoint.secret !== undefined) send(event, endpoint.url, endpoint.secret, aheadSeconds);
    }
  }
  // Events that had not arrived when the sandbox stopped are delivered now, oldest first.
  for (const event of ledger.events.toReversed())
    if (event.pending_webhooks > 0 && event.created > stamp() - REDELIVER_S) deliver(event);

  return {
    ledger,
    core,
    baseUrl: core.getUrl(OFFSET),
    stamp,
    seconds: () => Math.floor(core.now().getTime() / 1000),
    changed: () => core.state.changed(),
    emit(type, object, previous) {
      const override = ledger.next.webhooks;
      if (override !== null) ledger.next.webhooks = override.left > 1 ? { ...override, left: override.left - 1 } : null;
      const event: StoredEvent = {
        id: newId('evt'),
        object: 'event',
        type,
        api_version: API_VERSION,
        created: stamp(),
        livemode: override?.livemode ?? false,
        pending_webhooks: 1 + Object.keys(ledger.endpoints).length,
        request: { id: null, idempotency_key: null },
        // The event contains a copy, so that later changes of the object do not change it.
        data: { object: structuredClone(object), ...(previous ? { previous_attributes: previous } : {}) },
      };
      ledger.events.unshift(event);
      ledger.events.length = Math.min(ledger.events.length, EVENTS_MAX);
      core.state.changed();
      deliver(event, override?.aheadSeconds);
    },
    reset() {
      Object.assign(ledger, emptyLedger());
    },
  };
}

/** Returns the signature `t=…,v1=…`: the HMAC-SHA256 of `t.body`, with the secret's text as the key. */
function sign(body: string, secret: string, at: number): string {
  return `t=${at},v1=${createHmac('sha256', secret).update(`${at}.${body}`).digest('hex')}`;
}
