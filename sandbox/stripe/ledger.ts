import { createHmac, randomBytes } from 'node:crypto';
import type Stripe from 'stripe';
import type { Core } from '../core/core.ts';

/** The version the webhook endpoint is pinned to, and the only one the sandbox speaks. */
export const API_VERSION = '2026-10-28.endive';
export const OFFSET = 1;

/** What the sandbox knows of a payment beyond what its object tells. */
export type Checkout = {
  session: Stripe.Checkout.Session;
  items: Stripe.LineItem[];
  /** Seconds on the sandbox's clock. */
  expiresAt: number;
  /** Given in `payment_intent_data`, for the payment intent that the first try to pay makes. */
  intent: { metadata: Record<string, string>; description: string | null; receiptEmail: string | null };
  /** A slow payment that is under way: when it ends, on the sandbox's clock, and how. */
  pending: { at: number; paid: boolean } | null;
};
export type Check = {
  session: Stripe.Identity.VerificationSession;
  returnUrl: string | null;
  /** What the person showed; null before the first try and after redaction. */
  shown: Shown | null;
  /** Seconds on the sandbox's clock. */
  verifiedAt: number | null;
  urlMadeAt: number;
};
/** Dates are YYYY-MM-DD. */
export type Shown = { first: string; last: string; dob: string; expiry: string };

type Answered = { hash: string; status: number; body: string; at: number };
export type Ledger = {
  checkouts: Record<string, Checkout>;
  intents: Record<string, Stripe.PaymentIntent>;
  charges: Record<string, Stripe.Charge>;
  refunds: Record<string, Stripe.Refund>;
  disputes: Record<string, Stripe.Dispute>;
  /** What was asked for by script: how refunds made through the API begin, and what is odd about webhooks still to be sent. */
  next: NextAnswers;
  checks: Record<string, Check>;
  reports: Record<string, Stripe.Identity.VerificationReport>;
  endpoints: Record<string, Stripe.WebhookEndpoint>;
  idempotency: Record<string, Answered>;
  /** Newest first. */
  events: StoredEvent[];
};
export type NextAnswers = {
  refunds: { status: 'pending' | 'failed'; left: number } | null;
  webhooks: { livemode: boolean; aheadSeconds: number; left: number } | null;
};
export type StoredEvent = {
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
  /** Seconds of real time: what objects and events are dated with. */
  stamp(): number;
  /** Seconds on the sandbox's clock: what expiry is judged by. */
  seconds(): number;
  changed(): void;
  /** Dates, lists and delivers an event about an object as it is now. */
  emit(type: string, object: { id: string; object: string }, previous?: Record<string, unknown>): void;
  reset(): void;
};

const EVENTS_MAX = 1_000;
const REDELIVER_S = 3_600;

export const newId = (prefix: string): string => `${prefix}_${randomBytes(12).toString('hex')}`;

/** What a caller names by id; never what every object inherits. */
export const byId = <T>(all: Readonly<Record<string, T>>, id: string): T | undefined =>
  Object.hasOwn(all, id) ? all[id] : undefined;

const emptyLedger = (): Ledger => ({
  checkouts: {},
  intents: {},
  charges: {},
  refunds: {},
  disputes: {},
  next: { refunds: null, webhooks: null },
  checks: {},
  reports: {},
  endpoints: {},
  idempotency: {},
  events: [],
});

export function createStripeState(core: Core, secret: string): StripeState {
  const ledger = core.state.load<Ledger>('payments', emptyLedger());
  // A file of an earlier version lacks what came later.
  Object.assign(ledger, { ...emptyLedger(), ...ledger });
  const stamp = (): number => Math.floor(Date.now() / 1000);

  function send(event: StoredEvent, url: string, secretOf: string, aheadSeconds: number): void {
    const body = JSON.stringify(event);
    core.deliveries.send({
      provider: 'stripe',
      url,
      type: event.type,
      // Signed anew for every try: the receiver refuses signatures older than 5 minutes.
      make: () => ({
        body,
        headers: {
          'content-type': 'application/json; charset=utf-8',
          'stripe-signature': sign(body, secretOf, stamp() + aheadSeconds),
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
      const wanted = endpoint.enabled_events.some((type) => type === '*' || type === event.type);
      if (wanted && endpoint.secret !== undefined) send(event, endpoint.url, endpoint.secret, aheadSeconds);
    }
  }
  // What had not arrived when the sandbox stopped goes out again, oldest first.
  for (const event of ledger.events.toReversed())
    if (event.pending_webhooks > 0 && event.created > stamp() - REDELIVER_S) deliver(event);

  return {
    ledger,
    core,
    baseUrl: core.urlOf(OFFSET),
    stamp,
    seconds: () => Math.floor(core.now().getTime() / 1000),
    changed: () => core.state.changed(),
    emit(type, object, previous) {
      const odd = ledger.next.webhooks;
      if (odd !== null) ledger.next.webhooks = odd.left > 1 ? { ...odd, left: odd.left - 1 } : null;
      const event: StoredEvent = {
        id: newId('evt'),
        object: 'event',
        type,
        api_version: API_VERSION,
        created: stamp(),
        livemode: odd?.livemode ?? false,
        pending_webhooks: 1 + Object.keys(ledger.endpoints).length,
        request: { id: null, idempotency_key: null },
        // A copy: the event tells how it was, whatever becomes of it.
        data: { object: structuredClone(object), ...(previous ? { previous_attributes: previous } : {}) },
      };
      ledger.events.unshift(event);
      ledger.events.length = Math.min(ledger.events.length, EVENTS_MAX);
      core.state.changed();
      deliver(event, odd?.aheadSeconds);
    },
    reset() {
      Object.assign(ledger, emptyLedger());
    },
  };
}

/** `t=…,v1=…`: HMAC-SHA256 of `t.body` with the secret as it is (providers, section 1.3). */
export function sign(body: string, secret: string, at: number): string {
  return `t=${at},v1=${createHmac('sha256', secret).update(`${at}.${body}`).digest('hex')}`;
}
