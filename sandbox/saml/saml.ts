import { createPublicKey } from 'node:crypto';
import { Hono } from 'hono';
import { readBody } from '../core/control.ts';
import type { Core } from '../core/core.ts';
import { esc } from '../core/page.ts';
import { framed } from '../oidc/frame.ts';
import type { People } from '../oidc/people.ts';
import { readAuthnRequest, registeredParty } from './request.ts';
import { makeResponse } from './response.ts';

/** A SAML 2.0 identity provider: HTTP-Redirect in, HTTP-POST out, signed assertions. */
export function createSaml(
  core: Core,
  people: People,
  privatePem: string,
): { handle(request: Request): Promise<Response>; control: Hono } {
  const issuer = `${core.urlOf(6)}/saml/metadata`;
  const location = `${core.urlOf(6)}/saml/sso`;
  const publicKey = createPublicKey(privatePem);

  function showPage(url: URL): Response {
    const authnRequest = readAuthnRequest(core, url, location);
    if (typeof authnRequest === 'string') return refused(authnRequest);
    const action = esc(url.pathname + url.search);
    const rows = people
      .list()
      .map(
        (one) => `<button name="sub" value="${esc(one.sub)}">${esc(one.name)}<small>${esc(one.email)}</small></button>`,
      )
      .join('');
    return framed(
      'Single sign-on',
      `<h1>Single sign-on</h1><p>to continue to <strong>${esc(new URL(authnRequest.acs).host)}</strong></p>
<form method="post" action="${action}">${rows}</form>
<form method="post" action="${action}"><h2>Another account</h2><label for="email">Email</label><input id="email" name="email" type="email" required>
<label for="name">Name</label><input id="name" name="name" required><button class="first">Continue</button></form>`,
    );
  }

  function takeAnswer(url: URL, form: URLSearchParams): Response {
    const authnRequest = readAuthnRequest(core, url, location);
    if (typeof authnRequest === 'string') return refused(authnRequest);
    const email = form.get('email') ?? '';
    const person = form.has('sub')
      ? people.find(form.get('sub') ?? '')
      : /^\S+@\S+$/.test(email)
        ? people.put({ email, name: form.get('name') ?? '', emailVerified: true })
        : null;
    if (!person) return refused('no account was chosen');
    const xml = makeResponse({
      person,
      issuer,
      audience: registeredParty(core).entityId,
      acs: authnRequest.acs,
      inResponseTo: authnRequest.id,
      privatePem,
    });
    const field = (name: string, value: string): string => `<input type="hidden" name="${name}" value="${esc(value)}">`;
    return framed(
      'Redirecting',
      `<form method="post" action="${esc(authnRequest.acs)}"><h1>Signed in</h1><p>as ${esc(person.email)}</p>${field('SAMLResponse', Buffer.from(xml).toString('base64'))}${authnRequest.relayState === null ? '' : field('RelayState', authnRequest.relayState)}<button class="first">Continue</button></form>`,
    );
  }

  const control = new Hono();
  // A response as a careless or hostile provider would sign it: for another audience, another request, or people of another company.
  control.post('/saml-response', async (c) => {
    const sent = await readBody(c.req.raw);
    const text = (name: string, other: string): string => (typeof sent[name] === 'string' ? sent[name] : other);
    const party = registeredParty(core);
    const email = text('email', '');
    const xml = makeResponse({
      person: { sub: text('sub', email), email, name: text('name', email), emailVerified: true },
      issuer: text('issuer', issuer),
      audience: text('audience', party.entityId),
      acs: text('acs', party.acs),
      inResponseTo: typeof sent['in_response_to'] === 'string' ? sent['in_response_to'] : null,
      privatePem,
      ...(typeof sent['age_seconds'] === 'number' ? { ageMs: sent['age_seconds'] * 1000 } : {}),
    });
    return c.json({ SAMLResponse: Buffer.from(xml).toString('base64') });
  });

  return {
    control,
    async handle(request) {
      const url = new URL(request.url);
      if (url.pathname === '/saml/key')
        return new Response(publicKey.export({ type: 'spki', format: 'pem' }).toString(), {
          headers: { 'content-type': 'application/x-pem-file' },
        });
      if (url.pathname === '/saml/metadata') return metadata(issuer, location, publicKey.export({ format: 'jwk' }));
      if (url.pathname !== '/saml/sso') return new Response('Not found', { status: 404 });
      return request.method === 'POST' ? takeAnswer(url, new URLSearchParams(await request.text())) : showPage(url);
    },
  };
}

function refused(reason: string): Response {
  return framed('Request refused', `<p class="problem">${esc(reason)}</p>`, 400);
}

function metadata(issuer: string, location: string, key: { n?: string; e?: string }): Response {
  const plain = (text = ''): string => Buffer.from(text, 'base64url').toString('base64');
  return new Response(
    `<?xml version="1.0"?><EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${esc(issuer)}"><IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol" WantAuthnRequestsSigned="false"><KeyDescriptor use="signing"><KeyInfo xmlns="http://www.w3.org/2000/09/xmldsig#"><KeyValue><RSAKeyValue><Modulus>${plain(key.n)}</Modulus><Exponent>${plain(key.e)}</Exponent></RSAKeyValue></KeyValue></KeyInfo></KeyDescriptor><NameIDFormat>urn:oasis:names:tc:SAML:2.0:nameid-format:persistent</NameIDFormat><SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="${esc(location)}"/></IDPSSODescriptor></EntityDescriptor>`,
    { headers: { 'content-type': 'application/samlmetadata+xml' } },
  );
}
