import type Stripe from 'stripe';
import { dollars, esc } from '../../core/page.ts';
import { hostedPage, seeOther } from '../core/hosted-page.ts';
import { byId, type Checkout, type StripeState } from '../core/ledger.ts';
import { getCards, DECLINED, DECLINED_LATER, NEEDS_BANK, NEEDS_BANK_ALWAYS } from '../cards/payment-methods.ts';
import { doOutcome, settleDue } from './paying.ts';

const TAG = 'Sandbox payments · no money moves';
const GOOD = '4242 4242 4242 4242';
/** Stripe's own test numbers (docs.stripe.com/testing). */
const TEST_CARDS = [
  { number: GOOD, does: 'is paid' },
  { number: '4000 0000 0000 0002', does: 'is declined' },
  { number: '4000 0025 0000 3155', does: 'needs confirmation by the bank, once when it is saved' },
  { number: '4000 0027 6000 3184', does: 'needs confirmation by the bank each time' },
] as const;

const PROBLEMS: Readonly<Record<string, string>> = {
  declined: 'Your card was declined.',
  number: 'Your card number is incomplete or wrong.',
  expiry: 'Your card has expired, or its expiry date is incomplete.',
  cvc: 'Your card’s security code is incomplete.',
  bank: 'We could not confirm this payment with your bank. Try another card.',
};

/** Serves the pay page `/c/pay/{id}` and the bank's confirmation at `/c/pay/{id}/bank`. */
export async function payPage(state: StripeState, request: Request, id: string, atBank: boolean): Promise<Response> {
  settleDue(state);
  const checkout = byId(state.ledger.checkouts, id);
  if (!checkout) return hostedPage('Payment not found', TAG, '<div class="card"><h1>Payment not found</h1></div>', 404);
  const { session } = checkout;
  // The customer clicked twice or opened the page again after paying.
  if (session.status === 'complete') return seeOther(successUrl(session));
  if (session.status === 'expired') return expiredPage(session);
  if (request.method !== 'POST') {
    const query = new URL(request.url).searchParams;
    if (atBank) return bankPage(session, query);
    return formPage(state, checkout, PROBLEMS[query.get('problem') ?? ''] ?? null, query.get('card') ?? GOOD);
  }
  const form = new URLSearchParams(await request.text());
  return atBank ? answerBank(state, checkout, form) : answerForm(state, checkout, form);
}

/** Returns the address for a customer who has paid. The session id replaces the placeholder. */
function successUrl(session: Stripe.Checkout.Session): string {
  return new URL((session.success_url ?? '').replaceAll('{CHECKOUT_SESSION_ID}', session.id)).href;
}

function answerForm(state: StripeState, checkout: Checkout, form: URLSearchParams): Response {
  const { session } = checkout;
  const path = `/c/pay/${session.id}`;
  const action = form.get('action') ?? 'pay';
  if (action === 'cancel')
    return session.cancel_url === null ? seeOther(path) : seeOther(new URL(session.cancel_url).href);
  if (action === 'delayed_paid' || action === 'delayed_failed') {
    doOutcome(state, checkout, action);
    return seeOther(successUrl(session));
  }
  const saved = offered(state, session).find(({ id }) => action === `saved:${id}`);
  const number =
    saved === undefined ? (form.get('card') ?? '').replace(/\D/g, '') : (findNumber(state, saved.id) ?? '');
  const problem = saved === undefined ? findProblem(number, form) : null;
  if (problem !== null) return seeOther(`${path}?problem=${problem}`);
  const save = form.has('save') ? '1' : '';
  if (number === NEEDS_BANK_ALWAYS || (number === NEEDS_BANK && saved === undefined))
    return seeOther(`${path}/bank?${new URLSearchParams({ card: number, save, saved: saved?.id ?? '' }).toString()}`);
  if (number === DECLINED || number === DECLINED_LATER) {
    doOutcome(state, checkout, 'declined');
    return seeOther(`${path}?problem=declined`);
  }
  doOutcome(state, checkout, 'paid', undefined, saved ? { saved: saved.id } : { number, save: save !== '' });
  return seeOther(successUrl(session));
}

function answerBank(state: StripeState, checkout: Checkout, form: URLSearchParams): Response {
  if (form.get('action') !== 'confirm') {
    doOutcome(state, checkout, 'declined');
    return seeOther(`/c/pay/${checkout.session.id}?problem=bank`);
  }
  const saved = offered(state, checkout.session).find(({ id }) => form.get('saved') === id);
  const card = { number: form.get('card') ?? NEEDS_BANK, save: form.get('save') === '1' };
  doOutcome(state, checkout, 'paid', undefined, saved ? { saved: saved.id } : card);
  return seeOther(successUrl(checkout.session));
}

/** Returns the saved cards that the page offers. */
const offered = (state: StripeState, { customer }: Stripe.Checkout.Session): Stripe.PaymentMethod[] =>
  typeof customer === 'string' ? getCards(state, customer).filter((card) => card.allow_redisplay === 'always') : [];

const findNumber = (state: StripeState, id: string): string | undefined => byId(state.ledger.cards, id)?.number;

function findProblem(card: string, form: URLSearchParams): string | null {
  if (!/^\d{16}$/.test(card) || !luhn(card)) return 'number';
  const [, month = '', year = ''] = /^\s*(\d{1,2})\s*\/\s*(\d{2})\s*$/.exec(form.get('expiry') ?? '') ?? [];
  const last = Date.UTC(2000 + Number(year), Number(month));
  if (month === '' || Number(month) < 1 || Number(month) > 12 || last <= Date.now()) return 'expiry';
  return /^\d{3,4}$/.test(form.get('cvc') ?? '') ? null : 'cvc';
}

function luhn(digits: string): boolean {
  const sum = digits
    .split('')
    .toReversed()
    .reduce((total, digit, at) => {
      const value = Number(digit) * (at % 2 === 0 ? 1 : 2);
      return total + (value > 9 ? value - 9 : value);
    }, 0);
  return sum % 10 === 0;
}

const aud = (session: Stripe.Checkout.Session): string => `${dollars(session.amount_total ?? 0)} AUD`;

function summary(state: StripeState, { session, items }: Checkout): string {
  const rows = items
    .map((item) => {
      const times = (item.quantity ?? 1) > 1 ? ` × ${item.quantity}` : '';
      return `<dt>${esc(item.description ?? '')}${times}</dt><dd>${dollars(item.amount_total)}</dd>`;
    })
    .join('');
  const customer = typeof session.customer === 'string' ? byId(state.ledger.customers, session.customer) : undefined;
  const email = session.customer_email ?? customer?.email ?? null;
  const until = new Date(session.expires_at * 1000).toISOString().replace('T', ' ').slice(0, 16);
  return `<p class="amount">${aud(session)}</p>${email === null ? '' : `<p class="quiet-text">${esc(email)}</p>`}<dl>${rows}</dl><p class="note" style="margin-top:16px">Open until ${until} UTC.</p>`;
}

function formPage(state: StripeState, checkout: Checkout, problem: string | null, card: string): Response {
  const { session } = checkout;
  const path = `/c/pay/${session.id}`;
  const problemHtml = problem === null ? '' : `<p class="problem" role="alert">${esc(problem)}</p>`;
  const cards = TEST_CARDS.map(
    ({ number, does }) =>
      `<li><a href="${path}?card=${encodeURIComponent(number)}">Use ${number}</a><br><span class="quiet-text">${does}</span></li>`,
  ).join('');
  const back =
    session.cancel_url === null
      ? ''
      : '<button class="plain" name="action" value="cancel" formnovalidate>Cancel</button>';
  const savedButtons = offered(state, session)
    .map(
      ({ id, card: saved }) =>
        `<button name="action" value="saved:${id}">Pay with ${esc(saved?.brand ?? '')} ending in ${esc(saved?.last4 ?? '')}</button>`,
    )
    .join('');
  const savedHtml =
    savedButtons === ''
      ? ''
      : `<div class="card"><h2>Your saved cards</h2><form method="post" action="${path}">${savedButtons}</form></div>`;
  const saveHtml =
    session.saved_payment_method_options?.payment_method_save === 'enabled'
      ? '<label><input type="checkbox" name="save" value="1" style="width:auto"> Save my card for the next time</label>'
      : '';
  return hostedPage(
    `Pay ${aud(session)} · Sandbox payments`,
    TAG,
    `<div class="card"><h1>Your payment</h1>${summary(state, checkout)}</div>
${savedHtml}
<div class="card"><h2>Pay by card</h2>${problemHtml}
<form method="post" action="${path}">
<label for="card">Card number</label><input id="card" name="card" inputmode="numeric" autocomplete="off" required value="${esc(card)}">
<div class="pair"><div><label for="expiry">Expiry</label><input id="expiry" name="expiry" autocomplete="off" required value="12 / 34"></div>
<div><label for="cvc">CVC</label><input id="cvc" name="cvc" inputmode="numeric" autocomplete="off" required value="123"></div></div>
${saveHtml}<button name="action" value="pay">Pay ${dollars(session.amount_total ?? 0)}</button>${back}
</form></div>
<div class="card"><h2>Test cards</h2><ul>${cards}</ul></div>
<div class="card"><h2>Delayed payment methods</h2><p class="note">The order completes at once. The money arrives, or fails, a few seconds later.</p>
<form method="post" action="${path}"><button class="plain" name="action" value="delayed_paid">Pay later: succeeds</button><button class="plain" name="action" value="delayed_failed">Pay later: fails</button></form></div>`,
  );
}

function bankPage(session: Stripe.Checkout.Session, query: URLSearchParams): Response {
  const hidden = ['card', 'save', 'saved']
    .map((name) => `<input type="hidden" name="${name}" value="${esc(query.get(name) ?? '')}">`)
    .join('');
  return hostedPage(
    'Confirm your payment · Sandbox bank',
    'Sandbox bank',
    `<div class="card"><h1>Is this payment yours?</h1><p class="amount">${aud(session)}</p><p>Your bank needs you to confirm it.</p>
<form method="post" action="/c/pay/${session.id}/bank">${hidden}<button name="action" value="confirm">Confirm payment</button><button class="plain" name="action" value="refuse">Refuse payment</button></form></div>`,
  );
}

function expiredPage(session: Stripe.Checkout.Session): Response {
  const back =
    session.cancel_url === null
      ? ''
      : `<a class="button" href="${esc(new URL(session.cancel_url).href)}">Back to the shop</a>`;
  return hostedPage(
    'Payment expired · Sandbox payments',
    TAG,
    `<div class="card"><h1>This payment has expired</h1><p>Nothing was charged.</p>${back}</div>`,
  );
}
