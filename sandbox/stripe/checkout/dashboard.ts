import { dollars, esc } from '../../core/page.ts';
import { hostedPage, seeOther } from '../core/hosted-page.ts';
import { byId, type Checkout, type StripeState } from '../core/ledger.ts';
import { StripeRefusal } from '../core/refusal.ts';
import { disputeOutcomes, moveDispute, openDispute } from './disputes.ts';
import { settleDue } from './paying.ts';
import { endRefund, refundOnDashboard, refundOutcomes } from './refunds.ts';

const TAG = 'Sandbox dashboard · for staff, not customers';

/** `/dashboard/{session}`: stands in for Stripe's dashboard, where staff refund payments and follow refunds and disputes. */
export async function dashboardPage(state: StripeState, request: Request, id: string): Promise<Response> {
  settleDue(state);
  const checkout = byId(state.ledger.checkouts, id);
  if (!checkout) return hostedPage('Payment not found', TAG, '<div class="card"><h1>Payment not found</h1></div>', 404);
  if (request.method !== 'POST') return page(state, checkout, new URL(request.url).searchParams.get('problem'));
  try {
    act(state, checkout, new URLSearchParams(await request.text()));
  } catch (error) {
    if (!(error instanceof StripeRefusal)) throw error;
    return seeOther(`/dashboard/${id}?problem=${encodeURIComponent(error.message)}`);
  }
  return seeOther(`/dashboard/${id}`);
}

function act(state: StripeState, { session }: Checkout, form: URLSearchParams): void {
  const action = form.get('action');
  const about = form.get('about') ?? '';
  if (action === 'refund' || action === 'refund_pending') {
    const cents = Math.round(Number(form.get('amount') ?? '') * 100);
    const amount = Number.isFinite(cents) && cents > 0 ? cents : null;
    refundOnDashboard(state, session, { amount, pending: action === 'refund_pending' });
  }
  if (action === 'dispute') openDispute(state, session);
  const refund = byId(state.ledger.refunds, about);
  const ended = refundOutcomes.find((outcome) => outcome === action);
  if (refund && ended) endRefund(state, refund, ended);
  const dispute = byId(state.ledger.disputes, about);
  const moved = disputeOutcomes.find((outcome) => outcome === action);
  if (dispute && moved) moveDispute(state, dispute, moved);
}

function page(state: StripeState, { session }: Checkout, problem: string | null): Response {
  const path = `/dashboard/${session.id}`;
  const of = <T extends { payment_intent: unknown }>(all: Readonly<Record<string, T>>): T[] =>
    Object.values(all).filter(
      (item) => session.payment_intent !== null && item.payment_intent === session.payment_intent,
    );
  const rows = (about: string, words: readonly string[]): string =>
    `<form method="post" action="${path}"><input type="hidden" name="about" value="${esc(about)}">${words
      .map((word) => `<button class="plain" name="action" value="${word}">${word.replace('_', ' ')}</button>`)
      .join('')}</form>`;
  const refunds = of(state.ledger.refunds)
    .map(
      (refund) =>
        `<li>${dollars(refund.amount)} refunded: <strong>${esc(refund.status ?? '')}</strong>${
          refund.status === 'failed' || refund.status === 'canceled'
            ? ''
            : rows(refund.id, refund.status === 'succeeded' ? ['failed'] : refundOutcomes)
        }</li>`,
    )
    .join('');
  const disputes = of(state.ledger.disputes)
    .map(
      (dispute) =>
        `<li>Dispute: <strong>${esc(dispute.status)}</strong>${
          dispute.status === 'won' || dispute.status === 'lost' ? '' : rows(dispute.id, disputeOutcomes)
        }</li>`,
    )
    .join('');
  const problemHtml = problem === null ? '' : `<p class="problem" role="alert">${esc(problem)}</p>`;
  return hostedPage(
    'Payment · Sandbox dashboard',
    TAG,
    `<div class="card"><h1>Payment</h1><p class="amount">${dollars(session.amount_total ?? 0)} AUD</p><p>${esc(session.status ?? '')}, ${esc(session.payment_status)}</p><p class="quiet-text">${esc(session.customer_email ?? '')}</p>${problemHtml}</div>
<div class="card"><h2>Refund</h2><form method="post" action="${path}"><label for="amount">Amount in dollars; leave empty for the rest</label><input id="amount" name="amount" inputmode="decimal" autocomplete="off">
<button name="action" value="refund">Refund</button><button class="plain" name="action" value="refund_pending">Refund, pending</button></form></div>
<div class="card"><h2>Refunds and disputes</h2><ul>${refunds}${disputes || (refunds === '' ? '<li>None yet.</li>' : '')}</ul>
<form method="post" action="${path}"><button class="plain" name="action" value="dispute">Open a dispute</button></form></div>`,
  );
}
