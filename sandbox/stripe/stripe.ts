import { Hono } from 'hono';
import { readBody, refusal } from '../core/control.ts';
import type { Core } from '../core/core.ts';
import { dollars, esc } from '../core/page.ts';
import type { Provider } from '../core/provider.ts';
import { createStripeApi } from './api.ts';
import { finishCheck, identityErrors, identityOutcome } from './identity/identity.ts';
import { identityPage } from './identity/identity-page.ts';
import { byId, type Check, type Checkout, createStripeWorld, OFFSET, type StripeWorld } from './ledger.ts';
import { payPage } from './checkout/pay-page.ts';
import { doOutcome, type PaymentOutcome, paymentOutcomes, settleDue } from './checkout/paying.ts';

/** Fixed, written in docs/sandbox.md; production refuses to start with them. */
const SECRET_KEY = 'sk_test_sandbox';
const RESTRICTED_KEY = 'rk_test_sandbox';
const WEBHOOK_SECRET = 'whsec_sandbox';
const SHOWN = 6;

/** Stripe Checkout, refunds and Identity: the API, the two hosted pages, signed webhooks, and their control. */
export function createStripe(core: Core): Provider {
  const world = createStripeWorld(core, WEBHOOK_SECRET);
  const api = createStripeApi(world, { secret: SECRET_KEY, restricted: RESTRICTED_KEY });
  const isPage = (request: Request): boolean => /^\/(c\/pay|verify)\//.test(new URL(request.url).pathname);
  return {
    name: 'stripe',
    offset: OFFSET,
    handle: (request) => (isPage(request) ? hosted(world, request) : api(request)),
    spared: isPage,
    offline: () => Response.error(),
    control: control(world),
    panel: () => panel(world),
    reset: () => world.reset(),
    tick: () => settleDue(world),
  };
}

async function hosted(world: StripeWorld, request: Request): Promise<Response> {
  const { pathname } = new URL(request.url);
  const [, pay = '', bank] = /^\/c\/pay\/(\w+)(\/bank)?$/.exec(pathname) ?? [];
  if (pay !== '') return payPage(world, request, pay, bank !== undefined);
  const [, check = '', secret = ''] = /^\/verify\/(\w+)\/(\w+)$/.exec(pathname) ?? [];
  return identityPage(world, request, check, secret);
}

function control(world: StripeWorld): Hono {
  const { ledger } = world;
  const api = new Hono();
  api.get('/payments', (c) => {
    settleDue(world);
    return c.json(Object.values(ledger.checkouts).toReversed().map(paymentOf));
  });
  api.post('/payments/:id', async (c) => {
    settleDue(world);
    const checkout = byId(ledger.checkouts, c.req.param('id'));
    if (!checkout) return refusal('no such payment', 404);
    const wanted = (await readBody(c.req.raw))['outcome'];
    const outcome: PaymentOutcome | undefined = paymentOutcomes.find((one) => one === wanted);
    if (!outcome) return refusal(`outcome is one of ${paymentOutcomes.join(', ')}`);
    doOutcome(world, checkout, outcome);
    return c.json(paymentOf(checkout));
  });
  api.get('/refunds', (c) => c.json(Object.values(ledger.refunds).toReversed()));

  api.get('/identity', (c) => c.json(Object.values(ledger.checks).toReversed().map(checkOf)));
  api.post('/identity/:id', async (c) => {
    const check = byId(ledger.checks, c.req.param('id'));
    if (!check) return refusal('no such check', 404);
    const sent = await readBody(c.req.raw);
    const outcome = identityOutcome(String(sent['outcome']));
    if (outcome === null)
      return refusal(
        `outcome is one of verified, processing, canceled, requires_input, ${Object.keys(identityErrors).join(', ')}`,
      );
    const word = (name: string, other: string): string => (typeof sent[name] === 'string' ? sent[name] : other);
    const before = check.shown;
    finishCheck(world, check, outcome, {
      first: word('first_name', before?.first ?? 'Alex'),
      last: word('last_name', before?.last ?? 'Citizen'),
      dob: word('dob', before?.dob ?? '1998-04-03'),
      expiry: word('expiry', before?.expiry ?? '2031-04-03'),
    });
    return c.json(checkOf(check));
  });
  return api;
}

function paymentOf({ session }: Checkout): Record<string, unknown> {
  return {
    id: session.id,
    url: session.url,
    status: session.status,
    payment_status: session.payment_status,
    amount_total: session.amount_total,
    currency: session.currency,
    client_reference_id: session.client_reference_id,
    payment_intent: session.payment_intent,
    created: session.created,
    expires_at: session.expires_at,
  };
}

function checkOf({ session }: Check): Record<string, unknown> {
  return {
    id: session.id,
    url: session.url,
    status: session.status,
    client_reference_id: session.client_reference_id,
    last_error: session.last_error,
  };
}

function panel(world: StripeWorld): string {
  const rows = Object.values(world.ledger.checkouts)
    .toReversed()
    .slice(0, SHOWN)
    .map(({ session, items }) => {
      const state = session.status === 'complete' ? session.payment_status : session.status;
      const link = session.url === null ? '' : `<a href="${esc(session.url)}">Pay page</a>`;
      const what = items.map((item) => item.description ?? '').join(', ');
      return `<tr><td>${dollars(session.amount_total ?? 0)}</td><td>${esc(what)}</td><td class="${state === 'paid' ? 'good' : ''}">${state}</td><td>${link}</td></tr>`;
    })
    .join('');
  const refunds = Object.values(world.ledger.refunds)
    .toReversed()
    .slice(0, SHOWN)
    .map(
      (refund) =>
        `<tr><td>${dollars(refund.amount)}</td><td>given back</td><td>${esc(refund.status ?? '')}</td><td></td></tr>`,
    )
    .join('');
  const checks = Object.values(world.ledger.checks)
    .toReversed()
    .slice(0, SHOWN)
    .map(({ session }) => {
      const link = session.url === null ? '' : `<a href="${esc(session.url)}">ID page</a>`;
      return `<tr><td>${esc(session.provided_details?.email ?? session.id)}</td><td>${esc(session.status)}</td><td>${esc(session.last_error?.code ?? '')}</td><td>${link}</td></tr>`;
    })
    .join('');
  return `<section><h2>Payments</h2><table>${rows}${refunds}${rows === '' ? '<tr><td>No payments yet.</td></tr>' : ''}</table><h2>Identity checks</h2><table>${checks || '<tr><td>No checks yet.</td></tr>'}</table></section>`;
}
