import { esc } from '../../core/page.ts';
import { hostedPage, seeOther } from '../core/hosted-page.ts';
import { finishCheck, identityErrors, identityOutcome } from './identity.ts';
import { byId, type Check, type StripeState } from '../core/ledger.ts';

const TAG = 'Sandbox identity · simulated checks';
const DATE = /^\d{4}-\d{2}-\d{2}$/;

/** Serves the hosted ID check at `/verify/{id}/{secret}`. Each address is valid for one try. */
export async function identityPage(
  state: StripeState,
  request: Request,
  id: string,
  secret: string,
): Promise<Response> {
  const check = byId(state.ledger.checks, id);
  if (!check) return hostedPage('Check not found', TAG, '<div class="card"><h1>Check not found</h1></div>', 404);
  const current = check.session.url === `${state.baseUrl}/verify/${id}/${secret}`;
  if (request.method !== 'POST') return current ? formPage(check) : usedPage(check);
  // The person clicked twice; the first click counts.
  if (!current) return leave(check);
  const form = new URLSearchParams(await request.text());
  if (form.get('action') === 'leave') return leave(check);
  const outcome = identityOutcome(form.get('outcome') ?? '');
  const text = (name: string): string => (form.get(name) ?? '').trim();
  const shown = { first: text('first_name'), last: text('last_name'), dob: text('dob'), expiry: text('expiry') };
  if (outcome === null || !DATE.test(shown.dob) || !DATE.test(shown.expiry))
    return formPage(check, 'Fill in both dates and choose an outcome.');
  finishCheck(state, check, outcome, shown);
  return leave(check);
}

function leave(check: Check): Response {
  return check.returnUrl === null ? usedPage(check) : seeOther(new URL(check.returnUrl).href);
}

function usedPage(check: Check): Response {
  const back =
    check.returnUrl === null ? '' : `<a class="button" href="${esc(new URL(check.returnUrl).href)}">Go back</a>`;
  return hostedPage(
    'Identity check · Sandbox identity',
    TAG,
    `<div class="card"><h1>This link has been used</h1><p>The check has ended or continues at a new link.</p>${back}</div>`,
  );
}

function formPage(check: Check, problem: string | null = null): Response {
  const { session } = check;
  const fails = Object.keys(identityErrors)
    .map((code) => `<option value="${code}">Fails: ${code}</option>`)
    .join('');
  const problemHtml = problem === null ? '' : `<p class="problem" role="alert">${esc(problem)}</p>`;
  const email = session.provided_details?.email;
  return hostedPage(
    'Show your ID · Sandbox identity',
    TAG,
    `<div class="card"><h1>Show your ID</h1><p class="quiet-text">The real service would check your document and face here. Choose what it finds.</p>${email ? `<p>${esc(email)}</p>` : ''}${problemHtml}
<form method="post"><label for="first_name">First name</label><input id="first_name" name="first_name" autocomplete="off" required value="Alex">
<label for="last_name">Last name</label><input id="last_name" name="last_name" autocomplete="off" required value="Citizen">
<label for="dob">Date of birth</label><input id="dob" name="dob" type="date" required value="1998-04-03">
<label for="expiry">Document expiry</label><input id="expiry" name="expiry" type="date" required value="2031-04-03">
<label for="outcome">Outcome</label><select id="outcome" name="outcome"><option value="verified">Verified</option><option value="processing">Still processing</option><option value="canceled">Canceled</option>${fails}</select>
<button name="action" value="finish">Finish the check</button><button class="plain" name="action" value="leave" formnovalidate>Leave without finishing</button></form></div>`,
  );
}
