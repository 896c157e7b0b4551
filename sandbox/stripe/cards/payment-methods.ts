import type Stripe from 'stripe';
import { byId, newId, type StripeState } from '../core/ledger.ts';
import { invalid, missing } from '../core/refusal.ts';

/** A saved card with its number, which no call returns. */
export type Card = { method: Stripe.PaymentMethod; number: string };

/** One of Stripe's test numbers (docs.stripe.com/testing). Every charge is declined. */
export const DECLINED = '4000000000000002';
/** This card can be saved, but every later charge is declined. */
export const DECLINED_LATER = '4000000000000341';
/** The bank asks for confirmation only once, when the card is saved. */
export const NEEDS_BANK = '4000002500003155';
/** The bank asks for confirmation of every charge. */
export const NEEDS_BANK_ALWAYS = '4000002760003184';

/** Creates the payment method of a card. It is saved for `customer` unless that is null. */
export function newCard(
  state: StripeState,
  { number, customer }: { number: string; customer: string | null },
): Stripe.PaymentMethod {
  const id = newId('pm');
  const method: Stripe.PaymentMethod = {
    id,
    object: 'payment_method',
    allow_redisplay: customer === null ? 'unspecified' : 'always',
    billing_details: { address: null, email: null, name: null, phone: null, tax_id: null },
    card: {
      brand: getBrand(number),
      checks: { address_line1_check: null, address_postal_code_check: null, cvc_check: 'pass' },
      country: 'AU',
      display_brand: getBrand(number),
      exp_month: 12,
      exp_year: 2034,
      fingerprint: `sandbox${number.slice(-4)}`,
      funding: 'credit',
      generated_from: null,
      last4: number.slice(-4),
      networks: { available: [getBrand(number)], preferred: null },
      regulated_status: 'unregulated',
      three_d_secure_usage: { supported: true },
      wallet: null,
    },
    created: state.stamp(),
    customer,
    customer_account: null,
    livemode: false,
    metadata: {},
    type: 'card',
  };
  state.ledger.cards[id] = { method, number };
  state.changed();
  return method;
}

function getBrand(number: string): string {
  if (number.startsWith('5')) return 'mastercard';
  return number.startsWith('3') ? 'amex' : 'visa';
}

/** Returns the saved cards of a customer. */
export const getCards = (state: StripeState, customer: string): Stripe.PaymentMethod[] =>
  Object.values(state.ledger.cards)
    .map(({ method }) => method)
    .filter((method) => method.customer === customer);

/** `GET /v1/customers/{id}/payment_methods/{id}`: returns a card if it belongs to this customer. */
export function cardOfCustomer(state: StripeState, customer: string, id: string): Stripe.PaymentMethod {
  const method = byId(state.ledger.cards, id)?.method;
  if (!method || method.customer !== customer) throw missing('PaymentMethod', id, 'payment_method');
  return method;
}

/** `POST /v1/payment_methods/{id}/detach`: detaches a card permanently. */
export function detachCard(state: StripeState, id: string): Stripe.PaymentMethod {
  const method = byId(state.ledger.cards, id)?.method;
  if (!method) throw missing('PaymentMethod', id, 'payment_method');
  if (method.customer === null)
    throw invalid(
      'payment_method',
      'The payment method you provided is not attached to a customer so detachment is impossible.',
      'resource_missing',
    );
  method.customer = null;
  state.changed();
  return method;
}

export function detachAll(state: StripeState, customer: string): void {
  for (const method of getCards(state, customer)) method.customer = null;
}
