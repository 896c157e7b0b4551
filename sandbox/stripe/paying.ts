import type Stripe from 'stripe';
import { expire } from './checkout.ts';
import { type Checkout, newId, type StripeWorld } from './ledger.ts';

/** What a customer can do on the pay page, and scripts through the control API. */
export const paymentOutcomes = ['paid', 'declined', 'cancelled', 'expired', 'delayed_paid', 'delayed_failed'] as const;
export type PaymentOutcome = (typeof paymentOutcomes)[number];

/** How long a slow payment is under way, on the sandbox's clock. */
const DELAY_S = 3;

/** Does one of them. On a session that is no longer open nothing happens, as on a page that is over. */
export function doOutcome(world: StripeWorld, checkout: Checkout, outcome: PaymentOutcome): void {
  if (checkout.session.status !== 'open') return;
  switch (outcome) {
    case 'paid':
      return pay(world, checkout);
    case 'declined':
      return decline(world, checkout);
    case 'cancelled':
      return; // leaving the page changes nothing: the session stays open until it expires
    case 'expired':
      return expire(world, checkout);
    case 'delayed_paid':
    case 'delayed_failed':
      return startDelayed(world, checkout, outcome === 'delayed_paid');
  }
}

function pay(world: StripeWorld, checkout: Checkout): void {
  const { session } = checkout;
  const intent = intentOf(world, checkout);
  succeed(world, intent);
  complete(session);
  session.payment_status = 'paid';
  world.emit('checkout.session.completed', session);
}

/** The card is refused; the session stays open and the same payment intent is tried again. */
function decline(world: StripeWorld, checkout: Checkout): void {
  const intent = intentOf(world, checkout);
  refuse(world, intent, 'Your card was declined.');
}

/** A method that takes its time: the session is complete, and not yet paid. */
function startDelayed(world: StripeWorld, checkout: Checkout, paid: boolean): void {
  const { session } = checkout;
  const intent = intentOf(world, checkout);
  intent.status = 'processing';
  complete(session);
  checkout.pending = { at: world.seconds() + DELAY_S, paid };
  world.emit('checkout.session.completed', session);
}

/** Closes what is over on the sandbox's clock: unpaid sessions, and slow payments under way. */
export function settleDue(world: StripeWorld): void {
  const now = world.seconds();
  for (const checkout of Object.values(world.ledger.checkouts)) {
    const { session, pending } = checkout;
    if (session.status === 'open' && checkout.expiresAt <= now) expire(world, checkout);
    if (pending === null || pending.at > now) continue;
    checkout.pending = null;
    const intent = intentOf(world, checkout);
    if (pending.paid) {
      succeed(world, intent);
      session.payment_status = 'paid';
      world.emit('checkout.session.async_payment_succeeded', session);
    } else {
      refuse(world, intent, 'The payment failed.');
      world.emit('checkout.session.async_payment_failed', session);
    }
  }
}

function complete(session: Stripe.Checkout.Session): void {
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
    email: session.customer_email,
    individual_name: null,
    name: null,
    phone: null,
    tax_exempt: 'none',
    tax_ids: [],
  };
}

function succeed(world: StripeWorld, intent: Stripe.PaymentIntent): void {
  const charge = newCharge(world, intent);
  world.ledger.charges[charge.id] = charge;
  Object.assign(intent, {
    status: 'succeeded',
    amount_received: intent.amount,
    latest_charge: charge.id,
    last_payment_error: null,
  } satisfies Partial<Stripe.PaymentIntent>);
}

function refuse(world: StripeWorld, intent: Stripe.PaymentIntent, message: string): void {
  const charge: Stripe.Charge = {
    ...newCharge(world, intent),
    amount_captured: 0,
    balance_transaction: null,
    captured: false,
    failure_code: 'card_declined',
    failure_message: message,
    paid: false,
    status: 'failed',
  };
  world.ledger.charges[charge.id] = charge;
  intent.status = 'requires_payment_method';
  intent.latest_charge = charge.id;
  intent.last_payment_error = {
    type: 'card_error',
    code: 'card_declined',
    decline_code: 'generic_decline',
    message,
    charge: charge.id,
  };
  world.emit('payment_intent.payment_failed', intent);
}

/** The session's one payment intent; the first try to pay makes it. */
function intentOf(world: StripeWorld, checkout: Checkout): Stripe.PaymentIntent {
  const { session } = checkout;
  const known = typeof session.payment_intent === 'string' ? world.ledger.intents[session.payment_intent] : undefined;
  if (known) return known;
  const intent = newIntent(world, checkout);
  world.ledger.intents[intent.id] = intent;
  session.payment_intent = intent.id;
  world.changed();
  return intent;
}

function newIntent(world: StripeWorld, { session, intent }: Checkout): Stripe.PaymentIntent {
  const id = newId('pi');
  return {
    id,
    object: 'payment_intent',
    allowed_payment_method_types: null,
    amount: session.amount_total ?? 0,
    amount_capturable: 0,
    amount_received: 0,
    application: null,
    application_fee_amount: null,
    automatic_payment_methods: null,
    canceled_at: null,
    cancellation_reason: null,
    capture_method: 'automatic_async',
    client_secret: `${id}_secret_${newId('s').slice(2)}`,
    confirmation_method: 'automatic',
    created: world.stamp(),
    currency: 'aud',
    customer: null,
    customer_account: null,
    description: intent.description,
    excluded_payment_method_types: null,
    last_payment_error: null,
    latest_charge: null,
    livemode: false,
    managed_payments: null,
    metadata: intent.metadata,
    next_action: null,
    on_behalf_of: null,
    payment_method: newId('pm'),
    payment_method_configuration_details: null,
    payment_method_options: {},
    payment_method_types: ['card'],
    payment_record: null,
    processing: null,
    receipt_email: intent.receiptEmail,
    review: null,
    setup_future_usage: null,
    shipping: null,
    source: null,
    statement_descriptor: null,
    statement_descriptor_suffix: null,
    status: 'requires_payment_method',
    transfer_group: null,
  };
}

function newCharge(world: StripeWorld, intent: Stripe.PaymentIntent): Stripe.Charge {
  return {
    id: newId('ch'),
    object: 'charge',
    amount: intent.amount,
    amount_captured: intent.amount,
    amount_refunded: 0,
    application: null,
    application_fee: null,
    application_fee_amount: null,
    balance_transaction: newId('txn'),
    billing_details: { address: null, email: null, name: null, phone: null, tax_id: null },
    calculated_statement_descriptor: 'SANDBOX',
    captured: true,
    created: world.stamp(),
    currency: intent.currency,
    customer: null,
    description: intent.description,
    disputed: false,
    failure_balance_transaction: null,
    failure_code: null,
    failure_message: null,
    fraud_details: {},
    livemode: false,
    metadata: intent.metadata,
    on_behalf_of: null,
    outcome: null,
    paid: true,
    payment_intent: intent.id,
    payment_method: typeof intent.payment_method === 'string' ? intent.payment_method : null,
    payment_method_details: null,
    receipt_email: intent.receipt_email,
    receipt_number: null,
    receipt_url: null,
    refunded: false,
    review: null,
    shipping: null,
    source: null,
    source_transfer: null,
    statement_descriptor: null,
    statement_descriptor_suffix: null,
    status: 'succeeded',
    transfer_data: null,
    transfer_group: null,
  };
}
