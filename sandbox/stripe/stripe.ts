import type { Core } from '../core/core.ts';
import { dollars, esc } from '../core/page.ts';
import type { Provider } from '../core/provider.ts';
import { createStripeApi } from './api.ts';
import { createStripeControl } from './control.ts';
import { identityPage } from './identity/identity-page.ts';
import { createStripeState, OFFSET, type StripeState } from './core/ledger.ts';
import { payPage } from './checkout/pay-page.ts';
import { settleDue } from './checkout/paying.ts';
import { dashboardPage } from './checkout/dashboard.ts';

/** These keys are fixed and documented in docs/sandbox.md. The server refuses to start with them in production. */
const SECRET_KEY = 'sk_test_sandbox';
const RESTRICTED_KEY = 'rk_test_sandbox';
const WEBHOOK_SECRET = 'whsec_sandbox';
const SHOWN = 6;

/** Simulates Stripe Checkout, refunds, disputes and Identity: API, hosted pages, dashboard, signed webhooks and control API. */
export function createStripe(core: Core): Provider {
  const state = createStripeState(core, WEBHOOK_SECRET);
  const api = createStripeApi(state, { secret: SECRET_KEY, restricted: RESTRICTED_KEY });
  const isPage = (request: Request): boolean => /^\/(c\/pay|verify|dashboard)\//.test(new URL(request.url).pathname);
  return {
    name: 'stripe',
    offset: OFFSET,
    handle: (request) => (isPage(request) ? hosted(state, request) : api(request)),
    isPage,
    offline: () => Response.error(),
    control: createStripeControl(state),
    panel: () => panel(state),
    reset: () => state.reset(),
    runDue: () => settleDue(state),
  };
}

async function hosted(state: StripeState, request: Request): Promise<Response> {
  const { pathname } = new URL(request.url);
  const [, pay = '', bank] = /^\/c\/pay\/(\w+)(\/bank)?$/.exec(pathname) ?? [];
  if (pay !== '') return payPage(state, request, pay, bank !== undefined);
  const [, shown = ''] = /^\/dashboard\/(\w+)$/.exec(pathname) ?? [];
  if (shown !== '') return dashboardPage(state, request, shown);
  const [, check = '', secret = ''] = /^\/verify\/(\w+)\/(\w+)$/.exec(pathname) ?? [];
  return identityPage(state, request, check, secret);
}

function panel(state: StripeState): string {
  const rows = Object.values(state.ledger.checkouts)
    .toReversed()
    .slice(0, SHOWN)
    .map(({ session, items }) => {
      const outcome = session.status === 'complete' ? session.payment_status : session.status;
      const link =
        session.url === null
          ? `<a href="${esc(`${state.baseUrl}/dashboard/${session.id}`)}">Dashboard</a>`
          : `<a href="${esc(session.url)}">Pay page</a>`;
      const what = items.map((item) => item.description ?? '').join(', ');
      return `<tr><td>${dollars(session.amount_total ?? 0)}</td><td>${esc(what)}</td><td class="${outcome === 'paid' ? 'good' : ''}">${outcome}</td><td>${link}</td></tr>`;
    })
    .join('');
  const refunds = Object.values(state.ledger.refunds)
    .toReversed()
    .slice(0, SHOWN)
    .map(
      (refund) =>
        `<tr><td>${dollars(refund.amount)}</td><td>refund</td><td>${esc(refund.status ?? '')}</td><td></td></tr>`,
    )
    .join('');
  const checks = Object.values(state.ledger.checks)
    .toReversed()
    .slice(0, SHOWN)
    .map(({ session }) => {
      const link = session.url === null ? '' : `<a href="${esc(session.url)}">ID page</a>`;
      return `<tr><td>${esc(session.provided_details?.email ?? session.id)}</td><td>${esc(session.status)}</td><td>${esc(session.last_error?.code ?? '')}</td><td>${link}</td></tr>`;
    })
    .join('');
  return `<section><h2>Payments</h2><table>${rows}${refunds}${rows === '' ? '<tr><td>No payments yet.</td></tr>' : ''}</table><h2>Identity checks</h2><table>${checks || '<tr><td>No checks yet.</td></tr>'}</table></section>`;
}
