import { esc } from '../core/page.ts';
import type { Clients } from './clients.ts';
import { accountPage } from '../accounts/page.ts';
import type { Grants } from './grants.ts';
import type { Account, Accounts } from '../accounts/accounts.ts';

/** An authorization request that passed the checks. */
type AuthorizationRequest = {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly scope: string;
  readonly state: string | null;
  readonly nonce: string | null;
  readonly codeChallenge: string | null;
  readonly formPost: boolean;
};
/** `openid`: checked as OpenID Connect requires; `plain`: OAuth 2 as GitHub implements it. */
export type Flavour = 'openid' | 'plain';
type Context = { clients: Clients; grants: Grants; accounts: Accounts; issuer: string };

/** `GET …/authorize`: the page on which a person chooses an account. */
export function showPage(context: Context, flavour: Flavour, url: URL): Response {
  const authorization = readRequest(context, flavour, url.searchParams);
  if (authorization instanceof Response) return authorization;
  const rows = context.accounts
    .list()
    .map(
      (account) =>
        `<button name="sub" value="${esc(account.sub)}">${esc(account.name)}<small>${esc(account.email)}${account.emailVerified ? '' : ' · address not verified'}</small></button>`,
    )
    .join('');
  return accountPage(
    'Choose an account',
    `<h1>Choose an account</h1><p>to continue to <strong>${esc(new URL(authorization.redirectUri).host)}</strong> (${esc(authorization.clientId)})</p>
<form method="post" action="${esc(url.pathname + url.search)}">${rows}</form>
<form method="post" action="${esc(url.pathname + url.search)}"><h2>Another account</h2>
<label for="email">Email</label><input id="email" name="email" type="email" required>
<label for="name">Name</label><input id="name" name="name" required>
<label class="tick"><input type="checkbox" name="verified" value="yes" checked> This address is verified</label>
<button class="first">Continue</button></form>
<form method="post" action="${esc(url.pathname + url.search)}"><button name="refuse" value="yes" class="plain">Cancel</button></form>`,
  );
}

/** Handles the form of the account page. Redirects to the client with a code or an error. */
export function finishAuthorization(context: Context, flavour: Flavour, url: URL, form: URLSearchParams): Response {
  const authorization = readRequest(context, flavour, url.searchParams);
  if (authorization instanceof Response) return authorization;
  if (form.get('refuse') === 'yes')
    return redirectBack(authorization, context.issuer, {
      error: 'access_denied',
      error_description: 'The sign-in was cancelled',
    });
  const account = readAccount(context.accounts, form);
  if (!account)
    return accountPage(
      'Choose an account',
      '<p class="problem">Choose an account, or enter an email address.</p>',
      400,
    );
  const { clientId, redirectUri, scope, nonce, codeChallenge } = authorization;
  const code = context.grants.add({ clientId, redirectUri, scope, nonce, codeChallenge, sub: account.sub });
  return redirectBack(authorization, context.issuer, { code });
}

function readAccount(accounts: Accounts, form: URLSearchParams): Account | null {
  const sub = form.get('sub');
  if (sub !== null) return accounts.find(sub);
  const email = form.get('email') ?? '';
  if (!/^\S+@\S+$/.test(email)) return null;
  return accounts.put({ email, name: form.get('name') ?? '', emailVerified: form.get('verified') === 'yes' });
}

/** Parses and checks the request. An unknown client or redirect address gets an error page and no redirect (RFC 6749, 4.1.2.1). */
function readRequest(
  { clients, issuer }: Context,
  flavour: Flavour,
  query: URLSearchParams,
): AuthorizationRequest | Response {
  const getParam = (name: string): string | null => (query.getAll(name).length === 1 ? query.get(name) : null);
  const clientId = getParam('client_id') ?? '';
  if (!clients.isRegistered(clientId)) return refused('invalid_client: the client is not registered here');
  const redirectUri = getParam('redirect_uri') ?? '';
  if (!clients.allowsRedirect(redirectUri)) return refused('redirect_uri_mismatch: this address is not registered');
  const authorization: AuthorizationRequest = {
    clientId,
    redirectUri,
    scope: getParam('scope') ?? '',
    state: getParam('state'),
    nonce: getParam('nonce'),
    codeChallenge: getParam('code_challenge'),
    formPost: getParam('response_mode') === 'form_post',
  };
  const fault = findFault(authorization, flavour, getParam);
  return fault === null ? authorization : redirectBack(authorization, issuer, fault);
}

function findFault(
  authorization: AuthorizationRequest,
  flavour: Flavour,
  param: (name: string) => string | null,
): { error: string; error_description: string } | null {
  const fault = (error: string, text: string) => ({ error, error_description: text });
  if (flavour === 'openid' && param('response_type') !== 'code')
    return fault('unsupported_response_type', 'response_type must be code');
  if (flavour === 'openid' && !authorization.scope.split(' ').includes('openid'))
    return fault('invalid_scope', 'scope must contain openid');
  if (authorization.state === null) return fault('invalid_request', 'state is needed');
  if (flavour === 'openid' && authorization.nonce === null) return fault('invalid_request', 'nonce is needed');
  if (authorization.codeChallenge === null || param('code_challenge_method') !== 'S256')
    return fault('invalid_request', 'code_challenge with method S256 is needed');
  return null;
}

function refused(reason: string): Response {
  return accountPage('Request refused', `<p class="problem">${esc(reason)}</p>`, 400);
}

function redirectBack(authorization: AuthorizationRequest, issuer: string, result: Record<string, string>): Response {
  const fields = { ...result, ...(authorization.state === null ? {} : { state: authorization.state }), iss: issuer };
  if (authorization.formPost) {
    const inputs = Object.entries(fields)
      .map(([name, value]) => `<input type="hidden" name="${esc(name)}" value="${esc(value)}">`)
      .join('');
    return accountPage(
      'Redirecting',
      `<form method="post" action="${esc(authorization.redirectUri)}">${inputs}<button class="first">Continue</button></form>`,
    );
  }
  const to = new URL(authorization.redirectUri);
  for (const [name, value] of Object.entries(fields)) to.searchParams.set(name, value);
  return new Response(null, { status: 303, headers: { location: to.href } });
}
