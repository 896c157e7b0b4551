import { createHmac, randomBytes } from 'node:crypto';
import type { Core } from '../core/core.ts';
import type { State } from '../core/state.ts';

export type Json = Record<string, unknown>;
export type Session = Json & {
  id: string;
  url: string | null;
  status: 'open' | 'complete' | 'expired';
  payment_status: 'unpaid' | 'paid' | 'no_payment_required';
  amount_total: number;
  currency: string;
  client_reference_id: string | null;
  payment_intent: string | null;
  created: number;
  expires_at: number;
  success_url: string;
  cancel_url: string | null;
  customer_email: string | null;
  metadata: Record<string, string>;
  description: string;
};
export type Charge = Json & {
  id: string;
  payment_intent: string;
  amount: number;
  amount_refunded: number;
  currency: string;
  refunded: boolean;
};
export type RefundObject = Json & {
  id: string;
  payment_intent: string;
  charge: string;
  amount: number;
  status: string;
  created: number;
};
export type IdentityObject = Json & {
  id: string;
  url: string | null;
  status: 'requires_input' | 'processing' | 'verified' | 'canceled';
  return_url: string;
  client_reference_id: string | null;
  last_error: Json | null;
  outputs: Json | null;
  created: number;
};
export type Ledger = {
  sessions: Record<string, Session>;
  charges: Record<string, Charge>;
  refunds: Record<string, RefundObject>;
  identity: Record<string, IdentityObject>;
  idempotency: Record<string, { hash: string; status: number; body: string }>;
  events: Json[];
};

export const id = (prefix: string): string => `${prefix}_test_${randomBytes(12).toString('hex')}`;
export const API_VERSION = '2026-10-28.endive';

export type Stripe = {
  readonly ledger: Ledger;
  readonly core: Core;
  readonly baseUrl: string;
  seconds(): number;
  changed(): void;
  emit(type: string, object: Json): void;
  /** Closes sessions whose time is over on the sandbox's clock. */
  expireDue(): void;
};

export function createStripe(parts: {
  core: Core;
  state: State;
  baseUrl: string;
  webhookUrl: string;
  webhookSecret: string;
}): Stripe {
  const ledger = parts.state.load<Ledger>('stripe', {
    sessions: {},
    charges: {},
    refunds: {},
    identity: {},
    idempotency: {},
    events: [],
  });
  const stripe: Stripe = {
    ledger,
    core: parts.core,
    baseUrl: parts.baseUrl,
    seconds: () => Math.floor(parts.core.now().getTime() / 1000),
    changed: () => parts.state.changed(),
    emit(type, object) {
      const event = {
        id: id('evt').replace('_test', ''),
        object: 'event',
        type,
        api_version: API_VERSION,
        created: Math.floor(Date.now() / 1000),
        livemode: false,
        pending_webhooks: 1,
        request: { id: null, idempotency_key: null },
        data: { object: { ...object } },
      };
      ledger.events.unshift(event);
      ledger.events.length = Math.min(ledger.events.length, 500);
      stripe.changed();
      const body = JSON.stringify(event);
      parts.core.deliver('stripe', parts.webhookUrl, () => {
        const time = Math.floor(Date.now() / 1000);
        const mark = createHmac('sha256', parts.webhookSecret).update(`${time}.${body}`).digest('hex');
        return {
          body,
          headers: { 'content-type': 'application/json; charset=utf-8', 'stripe-signature': `t=${time},v1=${mark}` },
        };
      });
    },
    expireDue() {
      for (const session of Object.values(ledger.sessions)) {
        if (session.status === 'open' && session.expires_at <= stripe.seconds()) expire(stripe, session);
      }
    },
  };
  return stripe;
}

export function expire(stripe: Stripe, session: Session): void {
  session.status = 'expired';
  session.url = null;
  stripe.emit('checkout.session.expired', session);
}

/** What a customer with a good card does. Paying twice is paying once. */
export function pay(stripe: Stripe, session: Session, delayed = false): void {
  if (session.status !== 'open') return;
  session.status = 'complete';
  session.url = null;
  const charge = id('ch');
  session.payment_intent = id('pi');
  stripe.ledger.charges[charge] = {
    id: charge,
    object: 'charge',
    payment_intent: session.payment_intent,
    amount: session.amount_total,
    amount_refunded: 0,
    currency: session.currency,
    refunded: false,
    paid: true,
    status: 'succeeded',
    created: stripe.seconds(),
    livemode: false,
    metadata: session.metadata,
  };
  if (!delayed) session.payment_status = 'paid';
  stripe.emit('checkout.session.completed', session);
}

export function settleDelayed(stripe: Stripe, session: Session, paid: boolean): void {
  pay(stripe, session, true);
  if (paid) session.payment_status = 'paid';
  stripe.emit(paid ? 'checkout.session.async_payment_succeeded' : 'checkout.session.async_payment_failed', session);
}

export function decline(stripe: Stripe, session: Session): void {
  stripe.emit('payment_intent.payment_failed', {
    id: id('pi'),
    object: 'payment_intent',
    amount: session.amount_total,
    currency: session.currency,
    last_payment_error: {
      type: 'card_error',
      code: 'card_declined',
      decline_code: 'generic_decline',
      message: 'Your card was declined.',
    },
    metadata: session.metadata,
  });
}
