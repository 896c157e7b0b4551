import type Stripe from 'stripe';
import {
  parseEmail,
  type FormMap,
  type FormValue,
  parseInteger,
  listAt,
  mapAt,
  parseMetadata,
  onlyKnown,
  parseText,
  parseUrl,
  parseWord,
} from '../core/form.ts';
import { getCustomer } from '../cards/customers.ts';
import { type Checkout, newId, type StripeState } from '../core/ledger.ts';
import { invalid, requiredParameter, wrongState, StripeRefusal } from '../core/refusal.ts';

/**
 * Fields that are accepted when a Checkout Session is created. The API removed `payment_method_types` in 2026-09-30.endive, so it is
 * refused here too.
 */
const FIELDS = [
  'mode',
  'ui_mode',
  'customer',
  'customer_email',
  'saved_payment_method_options.payment_method_save',
  'saved_payment_method_options.payment_method_remove',
  'saved_payment_method_options.allow_redisplay_filters.*',
  'client_reference_id',
  'success_url',
  'cancel_url',
  'expires_at',
  'locale',
  'submit_type',
  'billing_address_collection',
  'metadata.*',
  'payment_intent_data.metadata.*',
  'payment_intent_data.description',
  'payment_intent_data.receipt_email',
  'payment_intent_data.statement_descriptor_suffix',
  'allowed_payment_method_types.*',
  'invoice_creation.enabled',
  'expand.*',
  'line_items.*.quantity',
  'line_items.*.price_data.currency',
  'line_items.*.price_data.unit_amount',
  'line_items.*.price_data.tax_behavior',
  'line_items.*.price_data.product_data.name',
  'line_items.*.price_data.product_data.description',
  'line_items.*.price_data.product_data.images.*',
  'line_items.*.price_data.product_data.metadata.*',
  'line_items.*.price_data.product_data.tax_code',
];
const METHODS = ['card', 'link', 'afterpay_clearpay', 'zip', 'au_becs_debit'] as const;
const LINE_ITEMS_MAX = 100;
const AMOUNT_MIN = 50;
const AMOUNT_MAX = 99_999_999;
const EXPIRES_MIN_S = 30 * 60;
const EXPIRES_MAX_S = 24 * 3600;
/** Tolerance in seconds for a caller that counts 30 minutes from its own clock. */
const EXPIRES_SLACK_S = 10;

/** Creates a session from the form of `POST /v1/checkout/sessions` (docs.stripe.com/api/checkout/sessions/create). */
export function createCheckout(state: StripeState, form: FormMap): Stripe.Checkout.Session {
  onlyKnown(form, FIELDS);
  if (parseWord(form['mode'], 'mode', ['payment', 'setup', 'subscription']) === null) throw requiredParameter('mode');
  if (form['mode'] !== 'payment') throw invalid('mode', 'This sandbox takes payments only.');
  const ui = parseWord(form['ui_mode'], 'ui_mode', ['hosted_page', 'embedded_page', 'elements', 'form']);
  if (ui !== null && ui !== 'hosted_page') throw invalid('ui_mode', 'This sandbox knows the hosted page only.');
  const successUrl = parseUrl(form['success_url'], 'success_url');
  if (successUrl === null) throw requiredParameter('success_url');
  const reference = parseText(form['client_reference_id']);
  if (reference !== null && reference.length > 200)
    throw invalid('client_reference_id', 'This value may have at most 200 characters.');
  const methods = listAt(form['allowed_payment_method_types']).map((_, index) =>
    parseWord(listAt(form['allowed_payment_method_types'])[index], `allowed_payment_method_types[${index}]`, METHODS),
  );

  const id = newId('cs_test');
  const items = readItems(form['line_items'], id);
  const amount = items.reduce((sum, item) => sum + item.amount_total, 0);
  if (amount < AMOUNT_MIN)
    throw new StripeRefusal(400, {
      code: 'amount_too_small',
      message: "The Checkout Session's total amount due must add up to at least $0.50 aud",
    });
  if (amount > AMOUNT_MAX) throw new StripeRefusal(400, { code: 'amount_too_large', message: 'Amount too large' });

  const created = state.stamp();
  const expiresAt = parseInteger(form['expires_at'], 'expires_at') ?? created + EXPIRES_MAX_S;
  // The expiry is compared with real time, because a moved sandbox clock must not make new sessions invalid.
  if (expiresAt < created + EXPIRES_MIN_S - EXPIRES_SLACK_S || expiresAt > created + EXPIRES_MAX_S + EXPIRES_SLACK_S)
    throw invalid(
      'expires_at',
      'The `expires_at` timestamp must be at least 30 minutes and less than 24 hours from Checkout Session creation.',
    );
  const intent = mapAt(form['payment_intent_data']);
  const checkout: Checkout = {
    session: {
      ...blankSession(id, amount),
      allowed_payment_method_types: methods.length > 0 ? methods.flatMap((method) => method ?? []) : null,
      payment_method_types: methods.length > 0 ? methods.flatMap((method) => method ?? []) : ['card'],
      cancel_url: parseUrl(form['cancel_url'], 'cancel_url'),
      client_reference_id: reference,
      created,
      customer_email: parseEmail(form['customer_email'], 'customer_email'),
      ...savedCards(state, form),
      expires_at: expiresAt,
      locale: parseText(form['locale']) ?? null,
      metadata: parseMetadata(form['metadata']),
      success_url: successUrl,
      url: `${state.baseUrl}/c/pay/${id}`,
    },
    items,
    // The session lasts for the same duration in sandbox time.
    expiresAt: expiresAt + (state.seconds() - created),
    intent: {
      metadata: parseMetadata(intent['metadata'], 'payment_intent_data[metadata]'),
      description: parseText(intent['description']),
      receiptEmail: parseEmail(intent['receipt_email'], 'payment_intent_data[receipt_email]'),
    },
    pending: null,
  };
  state.ledger.checkouts[id] = checkout;
  state.changed();
  return checkout.session;
}

/** Reads the customer whose saved cards the page offers, and whether it offers to save a card. */
function savedCards(
  state: StripeState,
  form: FormMap,
): Pick<Stripe.Checkout.Session, 'customer' | 'saved_payment_method_options'> {
  const customer = parseText(form['customer']);
  if (customer !== null && form['customer_email'] !== undefined)
    throw invalid('customer_email', 'You may only specify one of these parameters: customer, customer_email.');
  if (customer !== null) getCustomer(state, customer, 'customer');
  const options = mapAt(form['saved_payment_method_options']);
  const param = (name: string) => `saved_payment_method_options[${name}]`;
  const save = parseWord(options['payment_method_save'], param('payment_method_save'), ['enabled', 'disabled']);
  const remove = parseWord(options['payment_method_remove'], param('payment_method_remove'), ['enabled', 'disabled']);
  if (form['saved_payment_method_options'] !== undefined && customer === null)
    throw invalid('saved_payment_method_options', '`saved_payment_method_options` can only be used with a customer.');
  return {
    customer,
    saved_payment_method_options:
      customer === null
        ? null
        : { allow_redisplay_filters: ['always'], payment_method_remove: remove, payment_method_save: save },
  };
}

/** `POST /v1/checkout/sessions/{id}/expire`: expires an open session. Throws for any other session. */
export function expireByCall(state: StripeState, checkout: Checkout): Stripe.Checkout.Session {
  if (checkout.session.status !== 'open')
    throw wrongState(
      `Only Checkout Sessions with a status in ["open"] can be expired. This Checkout Session has a status of \`${checkout.session.status}\`.`,
    );
  expire(state, checkout);
  return checkout.session;
}

export function expire(state: StripeState, { session }: Checkout): void {
  session.status = 'expired';
  session.url = null;
  state.emit('checkout.session.expired', session);
}

function readItems(value: FormValue | undefined, session: string): Stripe.LineItem[] {
  const items = listAt(value);
  if (items.length === 0) throw requiredParameter('line_items');
  if (items.length > LINE_ITEMS_MAX) throw invalid('line_items', 'A session has at most 100 line items.');
  return items.map((item, index) => {
    const param = `line_items[${index}]`;
    const price = mapAt(mapAt(item)['price_data']);
    const name = parseText(mapAt(price['product_data'])['name']);
    if (parseText(price['currency']) === null) throw requiredParameter(`${param}[price_data][currency]`);
    if (price['currency'] !== 'aud') throw invalid(`${param}[price_data][currency]`, 'This sandbox knows aud only.');
    const unit = parseInteger(price['unit_amount'], `${param}[price_data][unit_amount]`);
    if (unit === null) throw requiredParameter(`${param}[price_data][unit_amount]`);
    if (name === null) throw requiredParameter(`${param}[price_data][product_data][name]`);
    const quantity = parseInteger(mapAt(item)['quantity'], `${param}[quantity]`, 1);
    if (quantity === null) throw requiredParameter(`${param}[quantity]`);
    return lineItem(name, unit, quantity, `li_${session.slice(8)}${index}`);
  });
}

function lineItem(name: string, unit: number, quantity: number, id: string): Stripe.LineItem {
  const amount = unit * quantity;
  return {
    id,
    object: 'item',
    adjustable_quantity: null,
    amount_discount: 0,
    amount_subtotal: amount,
    amount_tax: 0,
    amount_total: amount,
    currency: 'aud',
    description: name,
    metadata: {},
    price: null,
    quantity,
  };
}

/** Builds a session with every documented key; keys that the sandbox does not use are empty. */
function blankSession(
  id: string,
  amount: number,
): Omit<Stripe.Checkout.Session, 'created' | 'expires_at' | 'success_url'> {
  return {
    id,
    object: 'checkout.session',
    adaptive_pricing: { enabled: false },
    after_expiration: null,
    allow_promotion_codes: null,
    allowed_payment_method_types: null,
    amount_subtotal: amount,
    amount_total: amount,
    automatic_tax: { enabled: false, liability: null, provider: null, status: null },
    billing_address_collection: null,
    cancel_url: null,
    client_reference_id: null,
    client_secret: null,
    collected_information: null,
    consent: null,
    consent_collection: null,
    currency: 'aud',
    currency_conversion: null,
    custom_fields: [],
    custom_text: { after_submit: null, shipping_address: null, submit: null, terms_of_service_acceptance: null },
    customer: null,
    customer_account: null,
    customer_creation: 'if_required',
    customer_details: null,
    customer_email: null,
    discounts: [],
    integration_identifier: null,
    invoice: null,
    invoice_creation: null,
    livemode: false,
    locale: null,
    managed_payments: null,
    metadata: {},
    mode: 'payment',
    origin_context: null,
    payment_intent: null,
    payment_link: null,
    payment_method_collection: 'if_required',
    payment_method_configuration_details: null,
    payment_method_options: {},
    payment_method_types: ['card'],
    payment_status: 'unpaid',
    permissions: null,
    phone_number_collection: { enabled: false },
    recovered_from: null,
    saved_payment_method_options: null,
    setup_intent: null,
    shipping_address_collection: null,
    shipping_cost: null,
    shipping_options: [],
    status: 'open',
    submit_type: null,
    subscription: null,
    total_details: { amount_discount: 0, amount_shipping: 0, amount_tax: 0 },
    ui_mode: 'hosted_page',
    url: null,
    wallet_options: null,
  };
}
