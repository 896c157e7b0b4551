import { createHash } from 'node:crypto';
import { type FormValue, invalid, missing, onlyKnown, parseForm, StripeRefusal } from './form.ts';
import {
  type Charge,
  expire,
  id,
  type IdentityObject,
  type Json,
  type RefundObject,
  type Session,
  type Stripe,
} from './store.ts';

const SESSION_FIELDS = [
  'mode',
  'customer_email',
  'client_reference_id',
  'success_url',
  'cancel_url',
  'expires_at',
  'locale',
  'submit_type',
  'ui_mode',
  'metadata.*',
  'payment_intent_data.metadata.*',
  'payment_intent_data.description',
  'payment_intent_data.receipt_email',
  'payment_intent_data.statement_descriptor_suffix',
  'allowed_payment_method_types.*',
  'expand.*',
  'line_items.*.quantity',
  'line_items.*.price_data.currency',
  'line_items.*.price_data.unit_amount',
  'line_items.*.price_data.tax_behavior',
  'line_items.*.price_data.product_data.name',
  'line_items.*.price_data.product_data.description',
];
const IDENTITY_FIELDS = [
  'type',
  'client_reference_id',
  'return_url',
  'metadata.*',
  'provided_details.email',
  'provided_details.phone',
  'options.document.allowed_types.*',
  'options.document.require_live_capture',
  'options.document.require_matching_selfie',
  'options.document.require_id_number',
  'expand.*',
];

type Answer = { status: number; body: Json };

/** The API port: what the official SDK calls. Unknown addresses, parameters and keys are refused as the real one does. */
export function createStripeApi(
  stripe: Stripe,
  keys: { secret: string; restricted: string },
): (request: Request) => Promise<Response> {
  const running = new Set<string>();

  async function route(
    method: string,
    path: string,
    url: URL,
    form: Record<string, FormValue>,
    restricted: boolean,
  ): Promise<Answer> {
    stripe.expireDue();
    const [, , ...parts] = path.split('/');
    const [area, second, third, fourth] = parts;
    const ok = (body: Json): Answer => ({ status: 200, body });
    if (area === 'checkout' && second === 'sessions') {
      if (method === 'POST' && third === undefined) return ok(createSession(stripe, form));
      if (method === 'GET' && third === undefined) return ok(list(stripe, Object.values(stripe.ledger.sessions), url));
      const session = stripe.ledger.sessions[third ?? ''];
      if (!session) throw missing('checkout.session', third ?? '');
      if (method === 'GET' && fourth === undefined) return ok(session);
      if (method === 'POST' && fourth === 'expire') {
        if (session.status !== 'open')
          throw new StripeRefusal(400, {
            message: `Only Checkout Sessions with a status in ["open"] can be expired. This Checkout Session has a status of \`${session.status}\`.`,
          });
        expire(stripe, session);
        return ok(session);
      }
    }
    if (area === 'refunds') {
      if (method === 'POST' && second === undefined) return ok(createRefund(stripe, form));
      if (method === 'GET' && second === undefined) {
        const intent = url.searchParams.get('payment_intent');
        return ok(
          list(
            stripe,
            Object.values(stripe.ledger.refunds).filter(
              (refund) => intent === null || refund.payment_intent === intent,
            ),
            url,
          ),
        );
      }
      const refund = stripe.ledger.refunds[second ?? ''];
      if (!refund) throw missing('refund', second ?? '');
      return ok(refund);
    }
    if (area === 'charges' && second) return ok(stripe.ledger.charges[second] ?? fail('charge', second));
    if (area === 'payment_intents' && second) {
      const charge = Object.values(stripe.ledger.charges).find((one) => one.payment_intent === second);
      if (!charge) throw missing('payment_intent', second);
      return ok({
        id: second,
        object: 'payment_intent',
        amount: charge.amount,
        currency: charge.currency,
        status: 'succeeded',
        latest_charge: charge.id,
        livemode: false,
        metadata: charge['metadata'],
      });
    }
    if (area === 'events')
      return ok({ object: 'list', data: stripe.ledger.events.slice(0, 100), has_more: false, url: '/v1/events' });
    if (area === 'identity' && second === 'verification_sessions') {
      if (method === 'POST' && third === undefined) return ok(createIdentity(stripe, form));
      const session = stripe.ledger.identity[third ?? ''];
      if (!session) throw missing('identity.verificationsession', third ?? '');
      if (method === 'GET') return ok(readIdentity(session, url, restricted));
      if (method === 'POST' && fourth === 'cancel') {
        if (session.status !== 'requires_input')
          throw new StripeRefusal(400, {
            message: `You cannot cancel a VerificationSession with status ${session.status}.`,
          });
        session.status = 'canceled';
        session.url = null;
        return ok(readIdentity(session, url, restricted));
      }
    }
    throw new StripeRefusal(404, { message: `Unrecognized request URL (${method}: ${path}).` });
  }

  /** The same key and body answers the same; another body, or a call still under way, is refused. */
  async function once(key: string, hash: string, work: () => Promise<Answer>): Promise<Answer> {
    const known = stripe.ledger.idempotency[key];
    if (known && known.hash !== hash)
      throw new StripeRefusal(400, {
        type: 'idempotency_error',
        message: 'Keys for idempotent requests can only be used with the same parameters they were first used with.',
      });
    if (known) return { status: known.status, body: JSON.parse(known.body) };
    if (running.has(key))
      throw new StripeRefusal(409, {
        code: 'idempotency_key_in_use',
        message: 'There is currently another in-progress request using this Idempotent Key.',
      });
    running.add(key);
    try {
      const answer = await work();
      stripe.ledger.idempotency[key] = { hash, status: answer.status, body: JSON.stringify(answer.body) };
      stripe.changed();
      return answer;
    } finally {
      running.delete(key);
    }
  }

  return async (request) => {
    const url = new URL(request.url);
    const headers = { 'request-id': id('req'), 'stripe-version': request.headers.get('stripe-version') ?? '' };
    try {
      const key = /^Bearer (.+)$/.exec(request.headers.get('authorization') ?? '')?.[1];
      if (key !== keys.secret && key !== keys.restricted)
        throw new StripeRefusal(401, { message: 'Invalid API Key provided.' });
      const text = request.method === 'GET' ? '' : await request.text();
      const work = (): Promise<Answer> =>
        route(request.method, url.pathname, url, parseForm(text), key === keys.restricted);
      const idempotency = request.headers.get('idempotency-key');
      if (idempotency !== null && idempotency.length > 255)
        throw invalid('Idempotency-Key', 'Keys are at most 255 characters.');
      const hash = createHash('sha256').update(`${request.method} ${url.pathname}\n${text}`).digest('hex');
      const answer =
        request.method === 'POST' && idempotency !== null ? await once(idempotency, hash, work) : await work();
      return Response.json(answer.body, { status: answer.status, headers });
    } catch (error) {
      if (!(error instanceof StripeRefusal)) throw error;
      return Response.json({ error: error.body }, { status: error.status, headers });
    }
  };
}

function fail(kind: string, name: string): never {
  throw missing(kind, name);
}
const text = (value: FormValue | undefined): string | null =>
  typeof value === 'string' && value !== '' ? value : null;
function dictionary(value: FormValue | undefined): Record<string, string> {
  if (value === undefined || typeof value === 'string' || Array.isArray(value)) return {};
  const entries = Object.entries(value).map(([key, inner]): [string, string] => [
    key,
    typeof inner === 'string' ? inner : '',
  ]);
  if (entries.length > 50 || entries.some(([key, inner]) => key.length > 40 || inner.length > 500))
    throw invalid('metadata', 'Metadata holds at most 50 keys of 40 characters with 500 characters each.');
  return Object.fromEntries(entries);
}

function createSession(stripe: Stripe, form: Record<string, FormValue>): Json {
  onlyKnown(form, SESSION_FIELDS);
  if (text(form['mode']) !== 'payment') throw invalid('mode', 'This sandbox takes payments only.');
  const items = Array.isArray(form['line_items']) ? form['line_items'] : [];
  if (items.length === 0 || items.length > 100)
    throw invalid('line_items', 'A session needs 1 to 100 line items.', 'parameter_missing');
  let amount = 0;
  const names: string[] = [];
  for (const item of items) {
    const price = typeof item === 'object' && !Array.isArray(item) ? item['price_data'] : undefined;
    const data = price !== undefined && typeof price === 'object' && !Array.isArray(price) ? price : {};
    const product = data['product_data'];
    const unit = text(data['unit_amount']) ?? '';
    const quantity = typeof item === 'object' && !Array.isArray(item) ? (text(item['quantity']) ?? '1') : '1';
    if (!/^\d+$/.test(unit) || !/^\d+$/.test(quantity))
      throw invalid('line_items[0][price_data][unit_amount]', 'Invalid integer');
    if (text(data['currency']) !== 'aud')
      throw invalid('line_items[0][price_data][currency]', 'This sandbox knows aud only.');
    const name =
      product !== undefined && typeof product === 'object' && !Array.isArray(product) ? text(product['name']) : null;
    if (name === null)
      throw invalid('line_items[0][price_data][product_data][name]', 'A product needs a name.', 'parameter_missing');
    names.push(name);
    amount += Number(unit) * Number(quantity);
  }
  if (amount < 50)
    throw invalid(
      'line_items',
      "The Checkout Session's total amount due must add up to at least $0.50 aud",
      'amount_too_small',
    );
  const success = text(form['success_url']);
  if (success === null) throw invalid('success_url', 'Missing required param: success_url.', 'parameter_missing');
  // The window is checked on real time: a clock moved ahead must not make every new session invalid.
  const real = Math.floor(Date.now() / 1000);
  const wanted = text(form['expires_at']);
  const expires = wanted === null ? real + 86_400 : Number(wanted);
  if (!Number.isInteger(expires) || expires < real + 1_790 || expires > real + 86_400)
    throw invalid(
      'expires_at',
      'The `expires_at` timestamp must be at least 30 minutes and less than 24 hours from Checkout Session creation.',
    );
  const made = id('cs');
  const session: Session = {
    id: made,
    object: 'checkout.session',
    url: `${stripe.baseUrl}/c/pay/${made}`,
    status: 'open',
    payment_status: 'unpaid',
    mode: 'payment',
    amount_total: amount,
    amount_subtotal: amount,
    currency: 'aud',
    client_reference_id: text(form['client_reference_id']),
    payment_intent: null,
    created: stripe.seconds(),
    expires_at: expires + (stripe.seconds() - real),
    success_url: success.replaceAll('%7B', '{').replaceAll('%7D', '}'),
    cancel_url: text(form['cancel_url']),
    customer_email: text(form['customer_email']),
    customer_details: null,
    customer: null,
    metadata: dictionary(form['metadata']),
    livemode: false,
    description: names.join(', '),
    adaptive_pricing: null,
    after_expiration: null,
    allow_promotion_codes: null,
    automatic_tax: { enabled: false, liability: null, provider: null, status: null },
    billing_address_collection: null,
    client_secret: null,
    collected_information: null,
    consent: null,
    consent_collection: null,
    currency_conversion: null,
    custom_fields: [],
    custom_text: { after_submit: null, shipping_address: null, submit: null, terms_of_service_acceptance: null },
    customer_creation: 'if_required',
    discounts: [],
    invoice: null,
    invoice_creation: null,
    locale: null,
    origin_context: null,
    payment_link: null,
    payment_method_collection: 'if_required',
    payment_method_configuration_details: null,
    payment_method_options: {},
    payment_method_types: ['card'],
    permissions: null,
    phone_number_collection: { enabled: false },
    recovered_from: null,
    saved_payment_method_options: null,
    setup_intent: null,
    shipping_address_collection: null,
    shipping_cost: null,
    shipping_options: [],
    submit_type: null,
    subscription: null,
    total_details: { amount_discount: 0, amount_shipping: 0, amount_tax: 0 },
    ui_mode: 'hosted_page',
    wallet_options: null,
  };
  stripe.ledger.sessions[made] = session;
  stripe.changed();
  return session;
}

function createRefund(stripe: Stripe, form: Record<string, FormValue>): Json {
  onlyKnown(form, ['payment_intent', 'charge', 'amount', 'reason', 'metadata.*', 'expand.*']);
  const charge: Charge | undefined = Object.values(stripe.ledger.charges).find(
    (one) => one.payment_intent === text(form['payment_intent']) || one.id === text(form['charge']),
  );
  if (!charge) throw missing('payment_intent', text(form['payment_intent']) ?? '');
  const reason = text(form['reason']);
  if (reason !== null && !['duplicate', 'fraudulent', 'requested_by_customer'].includes(reason))
    throw invalid('reason', 'Invalid reason');
  const left = charge.amount - charge.amount_refunded;
  const amount = form['amount'] === undefined ? left : Number(text(form['amount']));
  if (left === 0)
    throw new StripeRefusal(400, {
      code: 'charge_already_refunded',
      message: `Charge ${charge.id} has already been refunded.`,
    });
  if (!Number.isInteger(amount) || amount < 1 || amount > left)
    throw invalid(
      'amount',
      `Refund amount (${dollarsOf(amount)}) is greater than unrefunded amount on charge (${dollarsOf(left)})`,
    );
  const refund: RefundObject = {
    id: id('re'),
    object: 'refund',
    amount,
    charge: charge.id,
    payment_intent: charge.payment_intent,
    currency: charge.currency,
    reason,
    status: 'succeeded',
    created: stripe.seconds(),
    metadata: dictionary(form['metadata']),
  };
  charge.amount_refunded += amount;
  charge.refunded = charge.amount_refunded === charge.amount;
  stripe.ledger.refunds[refund.id] = refund;
  stripe.emit('refund.created', refund);
  stripe.emit('charge.refunded', charge);
  return refund;
}
const dollarsOf = (cents: number): string => `$${(cents / 100).toFixed(2)}`;

function createIdentity(stripe: Stripe, form: Record<string, FormValue>): Json {
  onlyKnown(form, IDENTITY_FIELDS);
  if (text(form['type']) !== 'document') throw invalid('type', 'This sandbox checks documents only.');
  const made = id('vs').replace('_test', '');
  const session: IdentityObject = {
    id: made,
    object: 'identity.verification_session',
    url: `${stripe.baseUrl}/verify/${made}`,
    status: 'requires_input',
    return_url: text(form['return_url']) ?? '',
    client_reference_id: text(form['client_reference_id']),
    client_secret: `${made}_secret`,
    last_error: null,
    last_verification_report: null,
    livemode: false,
    metadata: dictionary(form['metadata']),
    options: {},
    redaction: null,
    type: 'document',
    created: stripe.seconds(),
    outputs: null,
  };
  stripe.ledger.identity[made] = session;
  stripe.emit('identity.verification_session.created', readIdentity(session, null, false));
  return readIdentity(session, null, false);
}

/** Outputs are told when they are asked for, the birth date to a restricted key alone. */
function readIdentity(session: IdentityObject, url: URL | null, restricted: boolean): Json {
  const expand = [...(url?.searchParams ?? [])].filter(([key]) => key.startsWith('expand')).map(([, value]) => value);
  const { outputs, return_url: _hidden, ...shown } = session;
  const birth = restricted && expand.includes('verified_outputs.dob') ? (outputs?.['dob'] ?? null) : null;
  const report =
    session.status === 'verified' && expand.includes('last_verification_report')
      ? {
          id: `vr_${session.id.slice(3)}`,
          object: 'identity.verification_report',
          document: { status: 'verified', expiration_date: restricted ? (outputs?.['expiry'] ?? null) : null },
        }
      : session.last_verification_report;
  return {
    ...shown,
    last_verification_report: report ?? null,
    verified_outputs:
      session.status === 'verified' && expand.includes('verified_outputs')
        ? {
            first_name: outputs?.['first_name'] ?? null,
            last_name: outputs?.['last_name'] ?? null,
            dob: birth,
            address: null,
            id_number: null,
            id_number_type: null,
            email: null,
            phone: null,
            sex: null,
          }
        : null,
  };
}

function list(stripe: Stripe, all: readonly (Json & { id: string; created: number })[], url: URL): Json {
  const limit = Number(url.searchParams.get('limit') ?? 10);
  if (!Number.isInteger(limit) || limit < 1 || limit > 100)
    throw invalid('limit', 'This value must be between 1 and 100.');
  const since = Number(url.searchParams.get('created[gte]') ?? 0);
  const after = url.searchParams.get('starting_after');
  const sorted = all
    .filter((one) => one.created >= since)
    .toSorted((a, b) => b.created - a.created || (a.id < b.id ? 1 : -1));
  const from = after === null ? 0 : sorted.findIndex((one) => one.id === after) + 1;
  return {
    object: 'list',
    data: sorted.slice(from, from + limit),
    has_more: sorted.length > from + limit,
    url: `${stripe.baseUrl}${url.pathname}`,
  };
}
