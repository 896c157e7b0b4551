import type Stripe from 'stripe';
import { refuse, succeed } from './paying.ts';
import { newIntent } from './payment-objects.ts';
import {
  parseBoolean,
  parseEmail,
  type FormMap,
  parseInteger,
  listAt,
  parseMetadata,
  onlyKnown,
  parseText,
  parseUrl,
  parseWord,
} from '../core/form.ts';
import { byId, type StripeState } from '../core/ledger.ts';
import { invalid, missing, requiredParameter, StripeRefusal, wrongState } from '../core/refusal.ts';
import { getCustomer } from '../cards/customers.ts';
import { type Card, DECLINED, DECLINED_LATER, NEEDS_BANK_ALWAYS } from '../cards/payment-methods.ts';

const FIELDS = [
  'amount',
  'currency',
  'customer',
  'payment_method',
  'allowed_payment_method_types.*',
  'confirm',
  'description',
  'metadata.*',
  'off_session',
  'error_on_requires_action',
  'return_url',
  'receipt_email',
  'statement_descriptor_suffix',
  'expand.*',
];
const AMOUNT_MIN = 50;

/** `POST /v1/payment_intents` with a saved card and `confirm` (docs.stripe.com/api/payment_intents/create). */
export function chargeCard(state: StripeState, form: FormMap): Stripe.PaymentIntent {
  onlyKnown(form, FIELDS);
  const amount = parseInteger(form['amount'], 'amount', 1);
  if (amount === null) throw requiredParameter('amount');
  if (parseText(form['currency']) === null) throw requiredParameter('currency');
  if (form['currency'] !== 'aud') throw invalid('currency', 'This sandbox knows aud only.');
  if (amount < AMOUNT_MIN)
    throw new StripeRefusal(400, {
      code: 'amount_too_small',
      param: 'amount',
      message: 'Amount must be at least $0.50 aud',
    });
  if (!parseBoolean(form['confirm'], 'confirm')) throw invalid('confirm', 'This sandbox knows confirm=true only.');
  checkTypes(form);
  const offSession = parseBoolean(form['off_session'], 'off_session');
  const noAction = parseBoolean(form['error_on_requires_action'], 'error_on_requires_action');
  const { customer, card } = readCard(state, form);
  const details = {
    metadata: parseMetadata(form['metadata']),
    description: parseText(form['description']),
    receiptEmail: parseEmail(form['receipt_email'], 'receipt_email'),
  };
  const intent: Stripe.PaymentIntent = {
    ...newIntent(state, { session: { amount_total: amount }, intent: details }),
    customer,
    payment_method: card.method.id,
  };
  state.ledger.intents[intent.id] = intent;
  return takeMoney(state, intent, card, offSession || noAction);
}

/** Checks the allowed payment methods. Without a list, some of them may redirect the customer, so Stripe requires a `return_url`. */
function checkTypes(form: FormMap): void {
  const types = listAt(form['allowed_payment_method_types']);
  for (const [index, type] of types.entries())
    parseWord(type, `allowed_payment_method_types[${index}]`, ['card', 'link']);
  if (types.length === 0 && parseUrl(form['return_url'], 'return_url') === null)
    throw invalid(
      'return_url',
      'This PaymentIntent is configured to accept payment methods enabled in your Dashboard. Because some of these payment methods might redirect your customer off of your page, you must provide a `return_url`.',
    );
}

function readCard(state: StripeState, form: FormMap): { customer: string | null; card: Card } {
  const [customer, id] = [parseText(form['customer']), parseText(form['payment_method'])];
  if (customer !== null) getCustomer(state, customer, 'customer');
  if (id === null) throw requiredParameter('payment_method');
  const card = byId(state.ledger.cards, id);
  if (!card) throw missing('PaymentMethod', id, 'payment_method');
  if (card.method.customer === null)
    throw invalid(
      'payment_method',
      'The provided PaymentMethod was previously used with a PaymentIntent without Customer attachment, shared with a connected account without Customer attachment, or was detached from a Customer. It may not be used again. To use a PaymentMethod multiple times, you must attach it to a Customer first.',
      'payment_method_unexpected_state',
    );
  if (card.method.customer !== customer)
    throw invalid(
      'payment_method',
      'The provided PaymentMethod cannot be attached. To reuse a PaymentMethod, you must attach it to a Customer first, and give that Customer.',
      'payment_method_unexpected_state',
    );
  return { customer, card };
}

/** Charges a test card with the result that its number stands for (docs.stripe.com/testing). */
function takeMoney(
  state: StripeState,
  intent: Stripe.PaymentIntent,
  { number }: Card,
  nobodyThere: boolean,
): Stripe.PaymentIntent {
  if (number === DECLINED || number === DECLINED_LATER) {
    refuse(state, intent, 'Your card was declined.');
    throw cardError(intent, {
      code: 'card_declined',
      decline_code: 'generic_decline',
      message: 'Your card was declined.',
    });
  }
  if (number === NEEDS_BANK_ALWAYS && nobodyThere) {
    refuse(state, intent, 'Your card was declined. This transaction requires authentication.');
    throw cardError(intent, {
      code: 'authentication_required',
      decline_code: 'authentication_required',
      message: 'Your card was declined. This transaction requires authentication.',
    });
  }
  if (number === NEEDS_BANK_ALWAYS) {
    intent.status = 'requires_action';
    intent.next_action = { type: 'use_stripe_sdk', use_stripe_sdk: {} };
    state.changed();
    return intent;
  }
  succeed(state, intent);
  state.emit('payment_intent.succeeded', intent);
  return intent;
}

/** Builds the error for a refused card: 402, with the payment. The idempotency key stores it like an answer. */
function cardError(
  intent: Stripe.PaymentIntent,
  body: { code: string; decline_code: string; message: string },
): StripeRefusal {
  return new StripeRefusal(402, { type: 'card_error', ...body, payment_intent: structuredClone(intent) }, true);
}

const CANCELABLE: readonly string[] = [
  'requires_payment_method',
  'requires_capture',
  'requires_confirmation',
  'requires_action',
];

/** `POST /v1/payment_intents/{id}/cancel`. The payment of a session cannot be canceled; it ends only with the session. */
export function cancelIntent(state: StripeState, id: string, form: FormMap): Stripe.PaymentIntent {
  onlyKnown(form, ['cancellation_reason', 'expand.*']);
  const intent = byId(state.ledger.intents, id);
  if (!intent) throw missing('payment_intent', id, 'intent');
  if (Object.values(state.ledger.checkouts).some(({ session }) => session.payment_intent === id))
    throw wrongState(
      'You cannot cancel a PaymentIntent that was created by Checkout. Expire the Checkout Session instead.',
    );
  if (!CANCELABLE.includes(intent.status))
    throw wrongState(
      `You cannot cancel this PaymentIntent because it has a status of ${intent.status}.`,
      'payment_intent_unexpected_state',
    );
  Object.assign(intent, {
    status: 'canceled',
    canceled_at: state.stamp(),
    cancellation_reason: null,
    next_action: null,
  } satisfies Partial<Stripe.PaymentIntent>);
  state.emit('payment_intent.canceled', intent);
  return intent;
}
