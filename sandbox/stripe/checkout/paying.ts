import type Stripe from 'stripe';
import { expire } from './checkout.ts';
import { byId, type Checkout, type StripeState } from '../core/ledger.ts';
import { newCard } from '../cards/payment-methods.ts';
import { moveCharge } from './balance.ts';
import { newCharge, newIntent } from './payment-objects.ts';

/** The outcomes of a payment that a customer can choose on the pay page, and tests through the control API. */
export const paymentOutcomes = ['paid', 'declined', 'cancelled', 'expired', 'delayed_paid', 'delayed_failed'] as const;
export type PaymentOutcome = (typeof paymentOutcomes)[number];

/** The card of a payment: a saved card by its id, or a new card by its number. */
export type PaidWith = { readonly saved: string } | { readonly number: string; readonly save: boolean };
const GOOD_CARD: PaidWith = { number: '4242424242424242', save: false };

/** Duration of a delayed payment, in seconds of sandbox time. */
const DELAY_S = 3;

/** Applies one outcome. Does nothing if the session is no longer open. `seconds` is the duration of a delayed payment, in sandbox time. */
export function doOutcome(
  state: StripeState,
  checkout: Checkout,
  outcome: PaymentOutcome,
  seconds: number = DELAY_S,
  card: PaidWith = GOOD_CARD,
): void {
  if (checkout.session.status !== 'open') return;
  switch (outcome) {
    case 'paid':
      return pay(state, checkout, card);
    case 'declined':
      return decline(state, checkout);
    case 'cancelled':
      return; // leaving the page changes nothing; the session stays open until it expires
    case 'expired':
      return expire(state, checkout);
    case 'delayed_paid':
    case 'delayed_failed':
      return startDelayed(state, checkout, outcome === 'delayed_paid', seconds);
  }
}

function pay(state: StripeState, checkout: Checkout, card: PaidWith): void {
  const { session } = checkout;
  const intent = ensureIntent(state, checkout);
  intent.customer = session.customer;
  intent.payment_method = 'saved' in card ? card.saved : createMethod(state, session, card).id;
  succeed(state, intent);
  complete(state, session);
  session.payment_status = 'paid';
  state.emit('checkout.session.completed', session);
}

/** Creates the payment method of a new card. It is saved for the customer if that is requested and the session offers it. */
function createMethod(
  state: StripeState,
  session: Stripe.Checkout.Session,
  { number, save }: { number: string; save: boolean },
): Stripe.PaymentMethod {
  const customer =
    save && session.saved_payment_method_options?.payment_method_save === 'enabled' ? getCustomerId(session) : null;
  return newCard(state, { number, customer });
}

const getCustomerId = ({ customer }: Stripe.Checkout.Session): string | null =>
  typeof customer === 'string' ? customer : (customer?.id ?? null);

/** Declines the card. The session stays open and the next try uses the same payment intent. */
function decline(state: StripeState, checkout: Checkout): void {
  const intent = ensureIntent(state, checkout);
  refuse(state, intent, 'Your card was declined.');
}

/** Starts a delayed payment: the session is complete, but not paid yet. */
function startDelayed(state: StripeState, checkout: Checkout, paid: boolean, seconds: number): void {
  const { session } = checkout;
  const intent = ensureIntent(state, checkout);
  intent.status = 'processing';
  complete(state, session);
  checkout.pending = { at: state.seconds() + seconds, paid };
  state.emit('checkout.session.completed', session);
}

/** The second of the last pass over all sessions. There may be very many of them, so calls within one second share a pass. */
const settled = new WeakMap<StripeState, number>();

/** Closes unpaid sessions and delayed payments that are due in sandbox time. */
export function settleDue(state: StripeState): void {
  const now = state.seconds();
  if (settled.get(state) === now) return;
  settled.set(state, now);
  for (const checkout of Object.values(state.ledger.checkouts)) {
    const { session, pending } = checkout;
    if (session.status === 'open' && checkout.expiresAt <= now) expire(state, checkout);
    if (pending === null || pending.at > now) continue;
    checkout.pending = null;
    const intent = ensureIntent(state, checkout);
    if (pending.paid) {
      succeed(state, intent);
      session.payment_status = 'paid';
      state.emit('checkout.session.async_payment_succeeded', session);
    } else {
      refuse(state, intent, 'The payment failed.');
      state.emit('checkout.session.async_payment_failed', session);
    }
  }
}

function complete(state: StripeState, session: Stripe.Checkout.Session): void {
  session.status = 'complete';
  session.url = null;
  session.customer_details = {
    address: {
      city: null,
      country: 'AU',
      line1: null,
      line2: null,
      postal_code: null,
      state: null,
    },
    business_name: null,
    email: session.customer_email ?? byId(state.ledger.customers, getCustomerId(session) ?? '')?.email ?? null,
    individual_name: null,
    name: null,
    phone: null,
    tax_exempt: 'none',
    tax_ids: [],
  };
}

/** Charges a payment successfully. */
export function succeed(state: StripeState, intent: Stripe.PaymentIntent): void {
  const charge = newCharge(state, intent);
  state.ledger.charges[charge.id] = charge;
  moveCharge(state, charge);
  Object.assign(intent, {
    status: 'succeeded',
    amount_received: intent.amount,
    latest_charge: charge.id,
    last_payment_error: null,
    next_action: null,
  } satisfies Partial<Stripe.PaymentIntent>);
}

/** Refuses the card of a payment, which can be tried again. */
export function refuse(state: StripeState, intent: Stripe.PaymentIntent, message: string): void {
  const charge: Stripe.Charge = {
    ...newCharge(state, intent),
    amount_captured: 0,
    balance_transaction: null,
    captured: false,
    failure_code: 'card_declined',
    failure_message: message,
    paid: false,
    status: 'failed',
  };
  state.ledger.charges[charge.id] = charge;
  intent.status = 'requires_payment_method';
  intent.latest_charge = charge.id;
  intent.last_payment_error = {
    type: 'card_error',
    code: 'card_declined',
    decline_code: 'generic_decline',
    message,
    charge: charge.id,
  };
  state.emit('payment_intent.payment_failed', intent);
}

/** Returns the session's payment intent, which the first try creates. */
function ensureIntent(state: StripeState, checkout: Checkout): Stripe.PaymentIntent {
  const { session } = checkout;
  const existing =
    typeof session.payment_intent === 'string' ? state.ledger.intents[session.payment_intent] : undefined;
  if (existing) return existing;
  const intent = newIntent(state, checkout);
  state.ledger.intents[intent.id] = intent;
  session.payment_intent = intent.id;
  state.changed();
  return intent;
}
