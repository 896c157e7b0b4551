import { esc } from '../core/page.ts';
import type { Clients } from './clients.ts';
import { framed } from './frame.ts';
import type { Grants } from './grants.ts';
import type { People, Person } from './people.ts';

/** What a client asks of a person, checked. */
type Asked = {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly scope: string;
  readonly state: string | null;
  readonly nonce: string | null;
  readonly codeChallenge: string | null;
  readonly formPost: boolean;
};
/** How strict a flavour is: `openid` as OpenID Connect has it, or plain OAuth 2 as GitHub has it. */
export type Flavour = 'openid' | 'plain';
type Parts = { clients: Clients; grants: Grants; people: People; issuer: string };

/** `GET …/authorize`: the page a person meets. */
export function showPage(parts: Parts, flavour: Flavour, url: URL): Response {
  const asked = readRequest(parts, flavour, url.searchParams);
  if (asked instanceof Response) return asked;
  const rows = parts.people
    .list()
    .map(
      (one) =>
        `<button name="sub" value="${esc(one.sub)}">${esc(one.name)}<small>${esc(one.email)}${one.emailVerified ? '' : ' · address not verified'}</small></button>`,
    )
    .join('');
  return framed(
    'Choose an account',
    `<h1>Choose an account</h1><p>to go on to <strong>${esc(new URL(asked.redirectUri).host)}</strong> (${esc(asked.clientId)})</p>
<form method="post" action="${esc(url.pathname + url.search)}">${rows}</form>
<form method="post" action="${esc(url.pathname + url.search)}"><h2>Somebody else</h2>
<label for="email">Email</label><input id="email" name="email" type="email" required>
<label for="name">Name</label><input id="name" name="name" required>
<label class="tick"><input type="checkbox" name="verified" value="yes" checked> The address is verified</label>
<button class="first">Continue</button></form>
<form method="post" action="${esc(url.pathname + url.search)}"><button name="refuse" value="yes" class="plain">Cancel</button></form>`,
  );
}

/** The form of that page: leads back to the client with a code, or with the refusal. */
export function takeAnswer(parts: Parts, flavour: Flavour, url: URL, form: URLSearchParams): Response {
  const asked = readRequest(parts, flavour, url.searchParams);
  if (asked instanceof Response) return asked;
  if (form.get('refuse') === 'yes')
    return redirectBack(asked, parts.issuer, { error: 'access_denied', error_description: 'The person said no' });
  const person = readPerson(parts.people, form);
  if (!person) return framed('Choose an account', '<p class="problem">Choose somebody, or type an address.</p>', 400);
  const { clientId, redirectUri, scope, nonce, codeChallenge } = asked;
  const code = parts.grants.add({ clientId, redirectUri, scope, nonce, codeChallenge, sub: person.sub });
  return redirectBack(asked, parts.issuer, { code });
}

function readPerson(people: People, form: URLSearchParams): Person | null {
  const sub = form.get('sub');
  if (sub !== null) return people.find(sub);
  const email = form.get('email') ?? '';
  if (!/^\S+@\S+$/.test(email)) return null;
  return people.put({ email, name: form.get('name') ?? '', emailVerified: form.get('verified') === 'yes' });
}

/** A client nobody knows, or another address to come back to, is told here and never led anywhere (RFC 6749, 4.1.2.1). */
function readRequest({ clients, issuer }: Parts, flavour: Flavour, query: URLSearchParams): Asked | Response {
  const one = (name: string): string | null => (query.getAll(name).length === 1 ? query.get(name) : null);
  const clientId = one('client_id') ?? '';
  if (!clients.known(clientId)) return refused('invalid_client: the client is not registered here');
  const redirectUri = one('redirect_uri') ?? '';
  if (!clients.redirects(redirectUri)) return refused('redirect_uri_mismatch: this address is not registered');
  const asked: Asked = {
    clientId,
    redirectUri,
    scope: one('scope') ?? '',
    state: one('state'),
    nonce: one('nonce'),
    codeChallenge: one('code_challenge'),
    formPost: one('response_mode') === 'form_post',
  };
  const fault = faultOf(asked, flavour, one);
  return fault === null ? asked : redirectBack(asked, issuer, fault);
}

function faultOf(
  asked: Asked,
  flavour: Flavour,
  one: (name: string) => string | null,
): { error: string; error_description: string } | null {
  const no = (error: string, text: string) => ({ error, error_description: text });
  if (flavour === 'openid' && one('response_type') !== 'code')
    return no('unsupported_response_type', 'response_type must be code');
  if (flavour === 'openid' && !asked.scope.split(' ').includes('openid'))
    return no('invalid_scope', 'scope must contain openid');
  if (asked.state === null) return no('invalid_request', 'state is needed');
  if (flavour === 'openid' && asked.nonce === null) return no('invalid_request', 'nonce is needed');
  if (asked.codeChallenge === null || one('code_challenge_method') !== 'S256')
    return no('invalid_request', 'code_challenge with method S256 is needed');
  return null;
}

function refused(reason: string): Response {
  return framed('Request refused', `<p class="problem">${esc(reason)}</p>`, 400);
}

function redirectBack(asked: Asked, issuer: string, answer: Record<string, string>): Response {
  const fields = { ...answer, ...(asked.state === null ? {} : { state: asked.state }), iss: issuer };
  if (asked.formPost) {
    const inputs = Object.entries(fields)
      .map(([name, value]) => `<input type="hidden" name="${esc(name)}" value="${esc(value)}">`)
      .join('');
    return framed(
      'Going back',
      `<form method="post" action="${esc(asked.redirectUri)}">${inputs}<button class="first">Continue</button></form>`,
    );
  }
  const to = new URL(asked.redirectUri);
  for (const [name, value] of Object.entries(fields)) to.searchParams.set(name, value);
  return new Response(null, { status: 303, headers: { location: to.href } });
}
