import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createWalker, readForm, type Walker } from '#tests/support/browser-walk.ts';
import { startTestServer, type TestServer } from '#tests/support/test-server.ts';
import { type SamlPeer, type SignOn, startSamlPeer } from './saml-provider.ts';

/** Our single sign-on against an identity provider made with samlify, an independent implementation: over HTTP, with its own keys. */
const ID = '5a4d1000-0000-4000-8000-0000000000aa';
let peer: SamlPeer;
let server: TestServer;
let folder: string;
beforeAll(async () => {
  peer = await startSamlPeer();
  folder = await mkdtemp(join(tmpdir(), 'saml-file-'));
  const file = join(folder, 'providers.json');
  const { entityId, ssoUrl, certificate } = peer;
  const provider = { id: ID, entity_id: entityId, sso_url: ssoUrl, certificate, domains: ['company.example'] };
  await writeFile(file, JSON.stringify([provider]));
  server = await startTestServer({ env: { AUTH_SAML: 'true', AUTH_SAML_FILE: file } });
  peer.register(await (await fetch(`${server.url}/auth/v1/sso/saml/metadata`)).text());
});
afterAll(async () => {
  await server.close();
  await peer.close();
  await rm(folder, { recursive: true });
});

const newEmail = (): string => `${randomUUID().slice(0, 8)}@company.example`;

type Form = { readonly SAMLResponse: string; readonly RelayState: string };
/** Begins a sign-on in a new browser and signs in at the provider. Returns the browser and the form that it is about to post to us. */
async function begin(signOn: SignOn): Promise<{ walk: Walker; form: Form }> {
  const response = await fetch(`${server.url}/auth/v1/sso`, {
    method: 'POST',
    headers: { apikey: server.app.keys.anonKey, 'content-type': 'application/json' },
    body: JSON.stringify({ domain: 'company.example', skip_http_redirect: true }),
  });
  const { url }: { url: string } = Object(await response.json());
  const lines = response.headers.getSetCookie();
  const walk = createWalker('10.6.0.3', { origin: server.url, lines });
  const { status, page } = await walk.go(url, { method: 'POST', form: signOn });
  if (status !== 200) throw new Error(`the provider refused the request: ${page}`);
  const { action, fields } = readForm(page);
  expect(action).toBe(`${server.url}/auth/v1/sso/saml/acs`);
  return { walk, form: { SAMLResponse: fields['SAMLResponse'] ?? '', RelayState: fields['RelayState'] ?? '' } };
}
/** Posts the form. Returns the session in the fragment, or the code of the error. */
async function post(walk: Walker, form: Form): Promise<{ token: string | null; error: string | null }> {
  const { location } = await walk.go(`${server.url}/auth/v1/sso/saml/acs`, { method: 'POST', form });
  const url = new URL(location ?? '');
  const token = new URLSearchParams(url.hash.slice(1)).get('access_token');
  return { token, error: url.searchParams.get('error_code') };
}
const change = (form: Form, by: (xml: string) => string): Form => {
  const xml = Buffer.from(form.SAMLResponse, 'base64').toString();
  const changed = by(xml);
  expect(changed).not.toBe(xml);
  return { ...form, SAMLResponse: Buffer.from(changed).toString('base64') };
};
const REFUSED = { token: null, error: 'validation_failed' };
const countAccounts = (email: string) =>
  server.app.db.queryRow('select count(*)::int as accounts from auth.users where email = $1', [email]);

test.each(['assertion', 'both'] as const)('a sign-on opens a session when the provider signs: %s', async (signed) => {
  const email = newEmail();
  const ids = new Set<unknown>();
  for (let n = 0; n < 2; n += 1) {
    const { walk, form } = await begin({ email, signed });
    const { token, error } = await post(walk, form);
    expect(error).toBeNull();
    const response = await fetch(`${server.url}/auth/v1/user`, {
      headers: { apikey: server.app.keys.anonKey, authorization: `Bearer ${token}` },
    });
    const user: Record<string, unknown> = Object(await response.json());
    expect(user).toMatchObject({
      email,
      is_sso_user: true,
      app_metadata: { provider: `sso:${ID}` },
      user_metadata: { full_name: 'Lee Employee', iss: peer.entityId },
      identities: [{ id: `id of ${email}` }],
    });
    ids.add(user['id']);
  }
  expect(ids.size).toBe(1);
});

const wrong: Record<string, Omit<SignOn, 'email'>> = {
  'is for another audience': { audience: 'https://other.example/metadata' },
  'is signed as a whole, but not its assertion': { signed: 'response' },
  'is signed by another key': { otherKey: 'true' },
  'is signed with SHA-1': { algorithm: 'sha1' },
};
test.each(Object.entries(wrong))('a response that %s is refused', async (_, more) => {
  const email = newEmail();
  const { walk, form } = await begin({ email, ...more });
  expect(await post(walk, form)).toEqual(REFUSED);
  expect(await countAccounts(email)).toEqual({ accounts: 0 });
});

const SIGNATURE = /<ds:Signature.*?<\/ds:Signature>/s;
test.each(['assertion', 'both'] as const)(
  'a response that was changed on its way is refused when the provider signs: %s',
  async (signed) => {
    const email = newEmail();
    const victim = newEmail();
    const changes: ((xml: string) => string)[] = [
      (xml) => xml.replaceAll(email, victim),
      (xml) => xml.replaceAll(email, victim).replace(SIGNATURE, ''),
      (xml) => xml.replaceAll(email, victim).replaceAll(new RegExp(SIGNATURE, 'gs'), ''),
    ];
    for (const by of changes) {
      const { walk, form } = await begin({ email, signed });
      expect(await post(walk, change(form, by))).toEqual(REFUSED);
    }
    expect(await countAccounts(victim)).toEqual({ accounts: 0 });
  },
);

test('a response to another request is refused', async () => {
  const other = await begin({ email: newEmail() });
  const { walk, form } = await begin({ email: newEmail() });
  expect(await post(walk, { ...form, SAMLResponse: other.form.SAMLResponse })).toEqual(REFUSED);
});

test('a person of a domain that the provider does not own is refused', async () => {
  const { walk, form } = await begin({ email: 'victim@other.example' });
  expect(await post(walk, form)).toEqual({ token: null, error: 'email_address_not_authorized' });
});
