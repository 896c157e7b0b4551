import { dollars, esc, page } from '../core/page.ts';
import { decline, expire, type IdentityObject, pay, type Session, settleDelayed, type Stripe } from './store.ts';

/** The pages a customer is sent to: paying, and showing an ID. They work without script. */
export function createStripePages(stripe: Stripe): (request: Request) => Promise<Response | null> {
  return async (request) => {
    stripe.expireDue();
    const url = new URL(request.url);
    const payment = /^\/c\/pay\/([\w]+)(\/3ds)?$/.exec(url.pathname);
    if (payment) return paymentPage(stripe, request, payment[1] ?? '', payment[2] !== undefined);
    const identity = /^\/verify\/([\w]+)$/.exec(url.pathname);
    if (identity) return identityPage(stripe, request, identity[1] ?? '');
    return null;
  };
}

const away = (to: string): Response => new Response(null, { status: 303, headers: { location: to } });
export const successUrl = (session: Session): string =>
  session.success_url.replaceAll('{CHECKOUT_SESSION_ID}', session.id);

async function paymentPage(stripe: Stripe, request: Request, id: string, confirming: boolean): Promise<Response> {
  const session = stripe.ledger.sessions[id];
  if (!session) return page('Unknown payment', '<section><h1>This payment does not exist</h1></section>');
  if (session.status === 'complete') return away(successUrl(session));
  if (session.status === 'expired')
    return page(
      'Payment expired',
      `<section><h1>This payment has expired</h1><p>Nothing was charged.</p>${session.cancel_url ? `<a class="button" href="${esc(session.cancel_url)}">Back to the shop</a>` : ''}</section>`,
    );
  if (request.method !== 'POST') return showPayment(session, null, confirming);
  const form = new URLSearchParams(await request.text());
  const action = form.get('action') ?? 'pay';
  if (action === 'cancel') return away(session.cancel_url ?? successUrl(session));
  if (action === 'delayed_paid' || action === 'delayed_failed') {
    settleDelayed(stripe, session, action === 'delayed_paid');
    return away(successUrl(session));
  }
  const card = (form.get('card') ?? '').replace(/\s/g, '');
  if (!confirming && card === '4000002500003155') return showPayment(session, null, true);
  if (!confirming && card === '4000000000000002') {
    decline(stripe, session);
    return showPayment(session, 'Your card was declined.', false);
  }
  if (!confirming && !/^\d{16}$/.test(card)) return showPayment(session, 'Your card number is incomplete.', false);
  pay(stripe, session);
  return away(successUrl(session));
}

function showPayment(session: Session, problem: string | null, confirming: boolean): Response {
  const path = `/c/pay/${session.id}`;
  const body = confirming
    ? `<section><h1>Your bank asks</h1><p>Is this payment of <strong>${dollars(session.amount_total)}</strong> yours?</p><form method="post" action="${path}/3ds"><button name="action" value="pay">Yes, pay</button><button class="quiet" name="action" value="cancel">No</button></form></section>`
    : `<section><h1>Pay ${dollars(session.amount_total)} AUD</h1><p>${esc(session.description)}</p><p>${esc(session.customer_email ?? '')}</p>${problem ? `<p class="bad" role="alert">${esc(problem)}</p>` : ''}
<form method="post" action="${path}"><label for="card">Card number</label><input id="card" name="card" inputmode="numeric" autocomplete="off" value="4242 4242 4242 4242" list="cards"><datalist id="cards"><option value="4242 4242 4242 4242">is paid</option><option value="4000 0000 0000 0002">is declined</option><option value="4000 0025 0000 3155">asks the bank</option></datalist>
<label for="expiry">Expiry</label><input id="expiry" name="expiry" value="12 / 34"><label for="cvc">CVC</label><input id="cvc" name="cvc" inputmode="numeric" value="123">
<button name="action" value="pay">Pay ${dollars(session.amount_total)}</button><button class="quiet" name="action" value="cancel">Cancel</button></form></section>
<section><h2>Test cards</h2><table><tr><td>4242 4242 4242 4242</td><td>is paid</td></tr><tr><td>4000 0000 0000 0002</td><td>is declined</td></tr><tr><td>4000 0025 0000 3155</td><td>asks the bank first</td></tr></table>
<form method="post" action="${path}"><p>Slow payments: </p><button class="quiet" name="action" value="delayed_paid">Pay later, arrives</button><button class="quiet" name="action" value="delayed_failed">Pay later, fails</button></form></section>`;
  return page('Pay', body);
}

/** Why a check can fail, in the real system's words. */
export const identityErrors = [
  'abandoned',
  'consent_declined',
  'country_not_supported',
  'device_not_supported',
  'document_expired',
  'document_type_not_supported',
  'document_unverified_other',
  'under_supported_age',
  'selfie_document_missing_photo',
  'selfie_face_mismatch',
  'selfie_unverified_other',
] as const;

async function identityPage(stripe: Stripe, request: Request, id: string): Promise<Response> {
  const session = stripe.ledger.identity[id];
  if (!session) return page('Unknown check', '<section><h1>This check does not exist</h1></section>');
  if (session.status !== 'requires_input') return away(session.return_url);
  if (request.method === 'POST') {
    const form = new URLSearchParams(await request.text());
    finishIdentity(stripe, session, form.get('outcome') ?? 'verified', {
      first: form.get('first') ?? '',
      last: form.get('last') ?? '',
      dob: form.get('dob') ?? '',
      expiry: form.get('expiry') ?? '',
    });
    return away(session.return_url);
  }
  const options = identityErrors.map((code) => `<option value="${code}">fails: ${code}</option>`).join('');
  return page(
    'Identity check',
    `<section><h1>Show your ID</h1><p>Here the real service would look at your document and your face. Say what it would find.</p><form method="post">
<label for="first">First name</label><input id="first" name="first" value="Alex"><label for="last">Last name</label><input id="last" name="last" value="Citizen">
<label for="dob">Date of birth</label><input id="dob" name="dob" type="date" value="1998-04-03"><label for="expiry">Document expiry</label><input id="expiry" name="expiry" type="date" value="2031-04-03">
<label for="outcome">Outcome</label><select id="outcome" name="outcome"><option value="verified">verified</option><option value="processing">still processing</option>${options}</select><button>Finish the check</button></form></section>`,
  );
}

export function finishIdentity(
  stripe: Stripe,
  session: IdentityObject,
  outcome: string,
  person: { first: string; last: string; dob: string; expiry: string },
): void {
  const parts = (date: string): { year: number; month: number; day: number } | null => {
    const [year, month, day] = date.split('-').map(Number);
    return year && month && day ? { year, month, day } : null;
  };
  session.url = null;
  if (outcome === 'verified' || outcome === 'processing') {
    session.status = outcome;
    session.last_error = null;
    session.outputs = {
      first_name: person.first,
      last_name: person.last,
      dob: parts(person.dob),
      expiry: parts(person.expiry),
    };
  } else {
    session.status = 'requires_input';
    session.last_error = {
      code: outcome === 'requires_input' ? 'document_unverified_other' : outcome,
      reason: 'as asked for',
    };
    session.url = `${stripe.baseUrl}/verify/${session.id}`;
  }
  const { outputs: _kept, ...shown } = session;
  stripe.emit(`identity.verification_session.${session.status}`, shown);
}

export function outcomeOfPayment(stripe: Stripe, session: Session, outcome: string): boolean {
  stripe.expireDue();
  switch (outcome) {
    case 'paid':
      pay(stripe, session);
      return true;
    case 'declined':
      decline(stripe, session);
      return true;
    case 'cancelled':
      return true;
    case 'expired':
      if (session.status === 'open') expire(stripe, session);
      return true;
    case 'delayed_paid':
    case 'delayed_failed':
      settleDelayed(stripe, session, outcome === 'delayed_paid');
      return true;
    default:
      return false;
  }
}
