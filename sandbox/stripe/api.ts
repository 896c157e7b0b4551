import type Stripe from 'stripe';
import { payOut } from './checkout/balance.ts';
import { cancelIntent, chargeCard } from './checkout/charging.ts';
import { createCustomer, getCustomer, deleteCustomer, updateCustomer } from './cards/customers.ts';
import { cardOfCustomer, getCards, detachCard } from './cards/payment-methods.ts';
import { createCheckout, expireByCall } from './checkout/checkout.ts';
import { createEndpoint } from './endpoints.ts';
import { expanded, parseExpand } from './core/expand.ts';
import { type FormMap, listAt, onlyKnown, parseForm, parseText } from './core/form.ts';
import { type Answer, createIdempotency } from './core/idempotency.ts';
import { cancelCheck, createCheck, redactCheck, updateCheck } from './identity/identity.ts';
import { readCheck, readReport } from './identity/identity-results.ts';
import { API_VERSION, byId, newId, type StripeState } from './core/ledger.ts';
import { getPage } from './core/listing.ts';
import { settleDue } from './checkout/paying.ts';
import { invalid, missing, StripeRefusal } from './core/refusal.ts';
import { createRefund } from './checkout/refunds.ts';

type Keys = { readonly secret: string; readonly restricted: string };
type Call = {
  readonly method: string;
  readonly path: string;
  /** The form of a POST, or the query of a GET. */
  readonly form: FormMap;
  readonly restricted: boolean;
};

/** Gives each call a duration, so that simultaneous calls overlap as they do at Stripe. */
const WORK_MS = 5;

/** Serves the API that the official SDK calls. Refuses unknown paths, keys, versions and parameters. */
export function createStripeApi(state: StripeState, keys: Keys): (request: Request) => Promise<Response> {
  const once = createIdempotency(state);

  async function answer(request: Request): Promise<Answer> {
    const url = new URL(request.url);
    const restricted = getKeyKind(request, keys) === 'restricted';
    checkVersion(request);
    const { method } = request;
    const posted = method === 'POST';
    const text = posted ? await request.text() : url.search.slice(1);
    if (posted && text !== '') checkContentType(request);
    const call: Call = { method, path: url.pathname, form: parseForm(text), restricted };
    const work = async (): Promise<Answer> => {
      await new Promise((done) => setTimeout(done, WORK_MS));
      settleDue(state);
      return { status: 200, body: route(state, call) };
    };
    const key = request.headers.get('idempotency-key');
    return posted && key !== null ? once(key, { method, path: call.path, body: text }, work) : work();
  }

  return async (request) => {
    const key = request.headers.get('idempotency-key');
    const headers = {
      'request-id': newId('req'),
      'stripe-version': API_VERSION,
      ...(key === null ? {} : { 'idempotency-key': key.slice(0, 255) }),
    };
    try {
      const { status, body, replayed } = await answer(request);
      return Response.json(body, {
        status,
        headers: { ...headers, ...(replayed ? { 'idempotent-replayed': 'true' } : {}) },
      });
    } catch (error) {
      if (!(error instanceof StripeRefusal)) throw error;
      return Response.json({ error: error.body }, { status: error.status, headers });
    }
  };
}

function getKeyKind(request: Request, keys: Keys): 'secret' | 'restricted' {
  const sent = /^Bearer (.+)$/.exec(request.headers.get('authorization') ?? '')?.[1];
  if (sent === undefined)
    throw new StripeRefusal(401, {
      message:
        'You did not provide an API key. You need to provide your API key in the Authorization header, using Bearer auth.',
    });
  if (sent === keys.secret) return 'secret';
  if (sent === keys.restricted) return 'restricted';
  throw new StripeRefusal(401, { message: `Invalid API Key provided: ${sent.slice(0, 7)}****` });
}

function checkVersion(request: Request): void {
  const version = request.headers.get('stripe-version');
  if (version !== null && version !== API_VERSION)
    throw new StripeRefusal(400, {
      message: `Invalid Stripe API version: ${version}. This sandbox speaks ${API_VERSION}.`,
    });
}
function checkContentType(request: Request): void {
  if (!(request.headers.get('content-type') ?? '').startsWith('application/x-www-form-urlencoded'))
    throw new StripeRefusal(400, { message: 'Invalid request: send a form (application/x-www-form-urlencoded).' });
}

function route(state: StripeState, call: Call): object {
  const [root, version, area = '', ...rest] = call.path.split('/');
  const found = root === '' && version === 'v1' ? routeIn(state, call, area, rest) : null;
  if (found) return found;
  throw new StripeRefusal(404, { message: `Unrecognized request URL (${call.method}: ${call.path}).` });
}

/** Runs the call of a path. Returns null if the path does not exist. */
function routeIn(state: StripeState, call: Call, area: string, rest: readonly string[]): object | null {
  const [first, second, third] = rest;
  if (area === 'identity') return identity(state, call, rest);
  // The restricted key can read only the sensitive results of identity checks.
  if (call.restricted)
    throw new StripeRefusal(403, {
      message: `The provided key does not have the required permissions for this endpoint (${call.path}).`,
    });
  switch (area) {
    case 'checkout':
      return first === 'sessions' ? checkout(state, call, second, third, rest.length) : null;
    case 'refunds':
      if (call.method === 'POST' && rest.length === 0)
        return expanded(state.ledger, createRefund(state, call.form), parseExpand(call.form));
      return read(state, call, rest, {
        kind: 'refund',
        all: state.ledger.refunds,
        filters: ['payment_intent', 'charge'],
      });
    case 'customers':
      return customers(state, call, rest);
    case 'payment_methods':
      if (call.method !== 'POST' || first === undefined || second !== 'detach' || rest.length > 2) return null;
      onlyKnown(call.form, ['expand.*']);
      return expanded(state.ledger, detachCard(state, first), parseExpand(call.form));
    case 'payment_intents':
      if (call.method === 'POST' && rest.length === 0)
        return expanded(state.ledger, chargeCard(state, call.form), parseExpand(call.form));
      if (call.method === 'POST' && first !== undefined && second === 'cancel' && rest.length === 2)
        return expanded(state.ledger, cancelIntent(state, first, call.form), parseExpand(call.form));
      return read(state, call, rest, { kind: 'payment_intent', all: state.ledger.intents, filters: ['customer'] });
    case 'charges':
      return read(state, call, rest, { kind: 'charge', all: state.ledger.charges, filters: ['payment_intent'] });
    case 'disputes':
      return read(state, call, rest, {
        kind: 'dispute',
        all: state.ledger.disputes,
        filters: ['payment_intent', 'charge'],
      });
    case 'payouts':
      payOut(state);
      return read(state, call, rest, { kind: 'payout', all: state.ledger.payouts, filters: ['status'] });
    case 'balance_transactions':
      payOut(state);
      return read(state, call, rest, {
        kind: 'balance transaction',
        all: state.ledger.balance,
        filters: ['currency', 'source', 'type'],
      });
    case 'events':
      return events(state, call, rest);
    case 'webhook_endpoints':
      if (call.method === 'POST' && rest.length === 0) return createEndpoint(state, call.form);
      return read(state, call, rest, { kind: 'webhook endpoint', all: withoutSecrets(state.ledger.endpoints) });
    default:
      return null;
  }
}

function checkout(
  state: StripeState,
  call: Call,
  id: string | undefined,
  action: string | undefined,
  depth: number,
): object | null {
  const { ledger } = state;
  const posted = call.method === 'POST';
  if (id === undefined && posted) {
    const paths = parseExpand(call.form);
    return expanded(ledger, createCheckout(state, call.form), paths);
  }
  if (id === undefined) {
    const status = parseText(call.form['status']);
    const intent = parseText(call.form['payment_intent']);
    const all = Object.values(ledger.checkouts)
      .map((checkout) => checkout.session)
      .filter(
        (session) =>
          (status === null || session.status === status) && (intent === null || session.payment_intent === intent),
      );
    const path = '/v1/checkout/sessions';
    return expanded(
      ledger,
      getPage(all, call.form, { path, kind: 'checkout.session', filters: ['status', 'payment_intent'] }),
      parseExpand(call.form),
    );
  }
  const found = byId(ledger.checkouts, id);
  if (!found) throw missing('checkout.session', id);
  onlyKnown(
    call.form,
    action === 'line_items' ? ['limit', 'starting_after', 'ending_before', 'expand.*'] : ['expand.*'],
  );
  const paths = parseExpand(call.form);
  if (action === undefined && !posted) return expanded(ledger, found.session, paths);
  if (action === 'expire' && posted && depth === 3) return expanded(ledger, expireByCall(state, found), paths);
  if (action === 'line_items' && !posted && depth === 3)
    return { object: 'list', data: found.items, has_more: false, url: `/v1/checkout/sessions/${id}/line_items` };
  return null;
}

/** Handles the calls for customers and their saved cards. */
function customers(state: StripeState, call: Call, rest: readonly string[]): object | null {
  const [id, kind, card] = rest;
  const { method, form } = call;
  if (id === undefined) return method === 'POST' ? createCustomer(state, form) : null;
  if (kind === undefined) {
    if (method === 'POST') return updateCustomer(state, id, form);
    onlyKnown(form, ['expand.*']);
    if (method === 'DELETE') return deleteCustomer(state, id);
    if (state.ledger.deletedCustomers.includes(id)) return { id, object: 'customer', deleted: true };
    return getCustomer(state, id);
  }
  if (kind !== 'payment_methods' || method !== 'GET' || rest.length > 3) return null;
  getCustomer(state, id, 'customer');
  if (card !== undefined) return cardOfCustomer(state, id, card);
  const [type, shown] = [parseText(form['type']), parseText(form['allow_redisplay'])];
  const all = getCards(state, id).filter(
    (paymentMethod) =>
      (type === null || paymentMethod.type === type) && (shown === null || paymentMethod.allow_redisplay === shown),
  );
  return getPage(all, form, { path: call.path, kind: 'payment_method', filters: ['type', 'allow_redisplay'] });
}

/** Stripe shows the secret of an endpoint only once, when it is created. */
function withoutSecrets(
  endpoints: Readonly<Record<string, Stripe.WebhookEndpoint>>,
): Record<string, { id: string; created: number }> {
  return Object.fromEntries(Object.entries(endpoints).map(([id, { secret: _secret, ...shown }]) => [id, shown]));
}

/** Answers `GET /v1/things` and `GET /v1/things/{id}`; `filters` lists the fields by which the list can be filtered. */
function read(
  state: StripeState,
  call: Call,
  rest: readonly string[],
  of: {
    kind: string;
    all: Readonly<Record<string, { id: string; created: number }>>;
    filters?: readonly string[];
  },
): object | null {
  if (call.method !== 'GET' || rest.length > 1) return null;
  const [id] = rest;
  if (id !== undefined) {
    onlyKnown(call.form, ['expand.*']);
    const found = byId(of.all, id);
    if (!found) throw missing(of.kind, id);
    return expanded(state.ledger, found, parseExpand(call.form));
  }
  const matches = (object: object): boolean =>
    Object.entries(object).every(([name, value]) => {
      const requested = of.filters?.includes(name) ? parseText(call.form[name]) : null;
      return requested === null || requested === value;
    });
  const page = getPage(Object.values(of.all).filter(matches), call.form, {
    path: call.path,
    kind: of.kind,
    ...(of.filters ? { filters: of.filters } : {}),
  });
  return expanded(state.ledger, page, parseExpand(call.form));
}

/** Lists events. `types[]` allows up to 20 alternatives, `type` only one. */
function events(state: StripeState, call: Call, rest: readonly string[]): object | null {
  const { types: requested, ...form } = call.form;
  const types = listAt(requested).filter((type) => typeof type === 'string');
  if (requested !== undefined && (types.length === 0 || types.length > 20 || form['type'] !== undefined))
    throw invalid('types', 'Give up to 20 types, and not `type` in addition.');
  const matching = state.ledger.events.filter((event) => types.length === 0 || types.includes(event.type));
  return read(state, { ...call, form }, rest, {
    kind: 'event',
    all: Object.fromEntries(matching.toReversed().map((event) => [event.id, event])),
    filters: ['type'],
  });
}

function identity(state: StripeState, call: Call, rest: readonly string[]): object | null {
  const [kind, id, action] = rest;
  if (rest.length > 3) return null;
  const posted = call.method === 'POST';
  const options = { expand: parseExpand(call.form), restricted: call.restricted };
  if (kind === 'verification_reports') {
    if (posted || id === undefined || action !== undefined) return null;
    const report = byId(state.ledger.reports, id);
    if (!report) throw missing('verification_report', id);
    return readReport(state, report, options);
  }
  if (kind !== 'verification_sessions') return null;
  if (id === undefined && posted) return readCheck(state, createCheck(state, call.form), options);
  if (id === undefined) return listChecks(state, call, options.restricted);
  const check = byId(state.ledger.checks, id);
  if (!check) throw missing('verification_session', id);
  if (action === undefined && posted) updateCheck(state, check, call.form);
  else onlyKnown(call.form, ['expand.*']);
  if (action === 'cancel' && posted) cancelCheck(state, check);
  else if (action === 'redact' && posted) redactCheck(state, check);
  else if (action !== undefined) return null;
  return readCheck(state, check, options);
}

function listChecks(state: StripeState, call: Call, restricted: boolean): object {
  const [status, reference] = [parseText(call.form['status']), parseText(call.form['client_reference_id'])];
  const all = Object.values(state.ledger.checks)
    .map((check) => check.session)
    .filter(
      (session) =>
        (status === null || session.status === status) &&
        (reference === null || session.client_reference_id === reference),
    );
  const page = getPage(all, call.form, {
    path: call.path,
    kind: 'verification_session',
    filters: ['status', 'client_reference_id'],
  });
  // In a list, each path begins with `data.`.
  const expand = parseExpand(call.form).map((path) => path.replace(/^data\./, ''));
  const data = page.data.flatMap((session) => {
    const check = state.ledger.checks[session.id];
    return check ? [readCheck(state, check, { expand, restricted })] : [];
  });
  return { ...page, data };
}
