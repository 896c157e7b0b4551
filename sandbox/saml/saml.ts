import { createPublicKey, type KeyObject } from 'node:crypto';
import { Hono } from 'hono';
import { accountPage } from '../accounts/page.ts';
import type { Account, Accounts } from '../accounts/accounts.ts';
import { readBody } from '../core/control.ts';
import type { Core } from '../core/core.ts';
import { esc } from '../core/page.ts';
import { type AuthnRequest, readAuthnRequest, registeredServiceProvider } from './request.ts';
import { createResponse } from './response.ts';

/** Dependencies of the identity provider. `location`: the address of its sign-in page. */
type SamlContext = {
  readonly core: Core;
  readonly accounts: Accounts;
  readonly privatePem: string;
  readonly issuer: string;
  readonly location: string;
};

/** Simulates a SAML 2.0 identity provider. It receives requests by HTTP-Redirect and sends signed assertions by HTTP-POST. */
export function createSaml(
  core: Core,
  accounts: Accounts,
  privatePem: string,
): { handle(request: Request): Promise<Response>; control: Hono } {
  const base = `${core.getUrl(6)}/saml`;
  const context = { core, accounts, privatePem, issuer: `${base}/metadata`, location: `${base}/sso` };
  const publicKey = createPublicKey(privatePem);
  return {
    control: createControl(context),
    async handle(request) {
      const url = new URL(request.url);
      if (url.pathname === '/saml/key') return sendKey(publicKey);
      if (url.pathname === '/saml/metadata') return sendMetadata(context, publicKey);
      if (url.pathname !== '/saml/sso') return new Response('Not found', { status: 404 });
      const authnRequest = readAuthnRequest(core, url, context.location);
      if (typeof authnRequest === 'string') return refuse(authnRequest);
      if (request.method !== 'POST') return showPage(context, authnRequest, url);
      return finishSignIn(context, authnRequest, new URLSearchParams(await request.text()));
    },
  };
}

/** Returns the page on which a person chooses an account. */
function showPage({ accounts }: SamlContext, authnRequest: AuthnRequest, url: URL): Response {
  const action = esc(url.pathname + url.search);
  const rows = accounts
    .list()
    .map(
      (account) =>
        `<button name="sub" value="${esc(account.sub)}">${esc(account.name)}<small>${esc(account.email)}</small></button>`,
    )
    .join('');
  return accountPage(
    'Single sign-on',
    `<h1>Single sign-on</h1><p>to continue to <strong>${esc(new URL(authnRequest.acs).host)}</strong></p>
<form method="post" action="${action}">${rows}</form>
<form method="post" action="${action}"><h2>Another account</h2><label for="email">Email</label><input id="email" name="email" type="email" required>
<label for="name">Name</label><input id="name" name="name" required><button class="first">Continue</button></form>`,
  );
}

/** Handles the form of the account page. Sends a signed response for the chosen account through the browser. */
function finishSignIn(context: SamlContext, authnRequest: AuthnRequest, form: URLSearchParams): Response {
  const account = chooseAccount(context.accounts, form);
  if (!account) return refuse('no account was chosen');
  const { acs, relayState } = authnRequest;
  const xml = createResponse({
    account,
    issuer: context.issuer,
    audience: registeredServiceProvider(context.core).entityId,
    acs,
    inResponseTo: authnRequest.id,
    privatePem: context.privatePem,
  });
  const field = (name: string, value: string): string => `<input type="hidden" name="${name}" value="${esc(value)}">`;
  return accountPage(
    'Redirecting',
    `<form method="post" action="${esc(acs)}"><h1>Signed in</h1><p>as ${esc(account.email)}</p>${field('SAMLResponse', Buffer.from(xml).toString('base64'))}${relayState === null ? '' : field('RelayState', relayState)}<button class="first">Continue</button></form>`,
  );
}

function chooseAccount(accounts: Accounts, form: URLSearchParams): Account | null {
  const sub = form.get('sub');
  if (sub !== null) return accounts.find(sub);
  const email = form.get('email') ?? '';
  if (!/^\S+@\S+$/.test(email)) return null;
  return accounts.put({ email, name: form.get('name') ?? '', emailVerified: true });
}

/**
 * Creates the control API, which returns responses as a careless or hostile provider would sign them: for another audience, another
 * request, or another company's people.
 */
function createControl({ core, privatePem, issuer }: SamlContext): Hono {
  const control = new Hono();
  control.post('/saml-response', async (c) => {
    const sent = await readBody(c.req.raw);
    const text = (name: string, other: string): string => (typeof sent[name] === 'string' ? sent[name] : other);
    const serviceProvider = registeredServiceProvider(core);
    const email = text('email', '');
    const xml = createResponse({
      account: { sub: text('sub', email), email, name: text('name', email), emailVerified: true },
      issuer: text('issuer', issuer),
      audience: text('audience', serviceProvider.entityId),
      acs: text('acs', serviceProvider.acs),
      inResponseTo: typeof sent['in_response_to'] === 'string' ? sent['in_response_to'] : null,
      privatePem,
      ...(typeof sent['age_seconds'] === 'number' ? { ageMs: sent['age_seconds'] * 1000 } : {}),
    });
    return c.json({ SAMLResponse: Buffer.from(xml).toString('base64') });
  });
  return control;
}

function refuse(reason: string): Response {
  return accountPage('Request refused', `<p class="problem">${esc(reason)}</p>`, 400);
}

function sendKey(publicKey: KeyObject): Response {
  return new Response(publicKey.export({ type: 'spki', format: 'pem' }).toString(), {
    headers: { 'content-type': 'application/x-pem-file' },
  });
}

function sendMetadata({ issuer, location }: SamlContext, publicKey: KeyObject): Response {
  const { n, e } = publicKey.export({ format: 'jwk' });
  const base64 = (text = ''): string => Buffer.from(text, 'base64url').toString('base64');
  return new Response(
    `<?xml version="1.0"?><EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${esc(issuer)}"><IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol" WantAuthnRequestsSigned="false"><KeyDescriptor use="signing"><KeyInfo xmlns="http://www.w3.org/2000/09/xmldsig#"><KeyValue><RSAKeyValue><Modulus>${base64(n)}</Modulus><Exponent>${base64(e)}</Exponent></RSAKeyValue></KeyValue></KeyInfo></KeyDescriptor><NameIDFormat>urn:oasis:names:tc:SAML:2.0:nameid-format:persistent</NameIDFormat><SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="${esc(location)}"/></IDPSSODescriptor></EntityDescriptor>`,
    { headers: { 'content-type': 'application/samlmetadata+xml' } },
  );
}
