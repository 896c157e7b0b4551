import { createHash, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createWalker, readForm, type Walker } from '#tests/support/browser-walk.ts';
import { startTestServer, type TestServer } from '#tests/support/test-server.ts';
import { CLIENTS, type OpenIdPeer, type Person, SECRET, startOpenIdPeer } from './openid-provider.ts';

/**
 * Our sign-in with OpenID Connect against `oidc-provider`, an independent implementation: over HTTP, with its own keys. `acme` returns the
 * claims of a person only from its userinfo endpoint, `globex` also in its id tokens.
 */
let peers: { acme: OpenIdPeer; globex: OpenIdPeer };
let server: TestServer;
beforeAll(async () => {
  peers = {
    acme: await startOpenIdPeer({ claimsInIdToken: false }),
    globex: await startOpenIdPeer({ claimsInIdToken: true }),
  };
  // The settings for Apple make the provider answer with a form post.
  const settings = Object.entries({ ...peers, apple: peers.globex }).map(([name, { issuer }]) => ({
    [`AUTH_${name.toUpperCase()}_ISSUER`]: issuer,
    [`AUTH_${name.toUpperCase()}_CLIENT_ID`]: `${CLIENTS.server},${CLIENTS.app}`,
    [`AUTH_${name.toUpperCase()}_SECRET`]: SECRET,
  }));
  server = await startTestServer({ env: Object.assign({ AUTH_PROVIDERS: 'acme,globex,apple' }, ...settings) });
  for (const peer of Object.values(peers)) peer.register(`${server.url}/auth/v1/callback`);
});
afterAll(async () => {
  await server.close();
  for (const peer of Object.values(peers)) await peer.close();
});

const newPerson = (more: Partial<Person> = {}): Person => ({
  email: `${randomUUID().slice(0, 8)}@example.com`,
  name: 'Robin Outside',
  verified: true,
  ...more,
});
const asPeer = (name: string): OpenIdPeer => peers[name === 'acme' ? 'acme' : 'globex'];

/** Begins a sign-in in a new browser. Returns the browser and the address at the provider. */
async function begin(name: string): Promise<{ walk: Walker; url: URL }> {
  const walk = createWalker('10.6.0.2');
  const { location } = await walk.go(`${server.url}/auth/v1/authorize?provider=${name}`);
  return { walk, url: new URL(location ?? '') };
}
/** Opens the address to which the provider redirected the browser. Returns the session in the fragment, or the error in the query. */
async function land(
  walk: Walker,
  back: string | URL,
  form?: Record<string, string>,
): Promise<{ session: URLSearchParams; error: URLSearchParams }> {
  const { location } = await walk.go(String(back), form ? { method: 'POST', form } : {});
  const url = new URL(location ?? '');
  return { session: new URLSearchParams(url.hash.slice(1)), error: url.searchParams };
}
async function signIn(name: string, person: Person): ReturnType<typeof land> {
  const { walk, url } = await begin(name);
  return land(walk, await asPeer(name).signIn(url.href, person));
}
async function readUser(session: URLSearchParams): Promise<Record<string, unknown>> {
  const response = await fetch(`${server.url}/auth/v1/user`, {
    headers: { apikey: server.app.keys.anonKey, authorization: `Bearer ${session.get('access_token')}` },
  });
  return Object(await response.json());
}
const countAccounts = ({ email }: Person) =>
  server.app.db.queryRow('select count(*)::int as accounts from auth.users where email = $1', [email]);

describe('a sign-in by the browser', () => {
  test.each(['acme', 'globex'])('at %s opens a session, and the same account each time', async (name) => {
    const person = newPerson();
    const { session } = await signIn(name, person);
    expect(session.get('provider_token')).toMatch(/^[\w-]{43}$/);
    const user = await readUser(session);
    expect(user).toMatchObject({
      email: person.email,
      app_metadata: { provider: name, providers: [name] },
      user_metadata: { full_name: 'Robin Outside', iss: asPeer(name).issuer },
      identities: [{ provider: name, id: person.email, identity_data: { email_verified: true } }],
    });
    expect(await readUser((await signIn(name, person)).session)).toMatchObject({ id: user['id'] });
    expect(await countAccounts(person)).toEqual({ accounts: 1 });
  });

  test.each(['acme', 'globex'])('at %s with an unverified address is refused', async (name) => {
    const person = newPerson({ verified: false });
    const { session, error } = await signIn(name, person);
    expect(error.get('error_code')).toBe('provider_email_needs_verification');
    expect(session.has('access_token')).toBe(false);
    expect(await countAccounts(person)).toEqual({ accounts: 0 });
  });

  test('whose provider answers with a form post opens a session, in the browser where it began', async () => {
    const person = newPerson();
    const { walk, url } = await begin('apple');
    const { action, fields } = readForm(await peers.globex.signInByForm(url.href, person));
    expect(action).toBe(`${server.url}/auth/v1/callback`);
    const { session } = await land(walk, action, fields);
    expect(await readUser(session)).toMatchObject({ email: person.email, app_metadata: { provider: 'apple' } });
    const second = await begin('apple');
    const foreign = readForm(await peers.globex.signInByForm(second.url.href, person));
    const { error } = await land(createWalker('10.6.0.4'), foreign.action, foreign.fields);
    expect(error.get('error_code')).toBe('bad_oauth_state');
  });

  test('that the person refuses leads back with the words of the provider', async () => {
    const { walk, url } = await begin('acme');
    const { error } = await land(walk, await peers.acme.signIn(url.href, null));
    expect(Object.fromEntries(error)).toEqual({
      error: 'access_denied',
      error_code: 'access_denied',
      error_description: 'No, thanks',
    });
  });

  const attacks: Record<string, (person: Person) => ReturnType<typeof land>> = {
    'an id token with the nonce of another request': async (person) => {
      const { walk, url } = await begin('globex');
      url.searchParams.set('nonce', 'another');
      return land(walk, await peers.globex.signIn(url.href, person));
    },
    'a code that another browser received': async (person) => {
      const other = await begin('globex');
      const { walk, url } = await begin('globex');
      const back = new URL(await peers.globex.signIn(other.url.href, person));
      back.searchParams.set('state', url.searchParams.get('state') ?? '');
      return land(walk, back);
    },
    'a response that names another issuer': async (person) => {
      const { walk, url } = await begin('globex');
      const back = new URL(await peers.globex.signIn(url.href, person));
      back.searchParams.set('iss', peers.acme.issuer);
      return land(walk, back);
    },
  };
  test.each(Object.entries(attacks))('with %s is refused', async (_, attack) => {
    const person = newPerson();
    const { session, error } = await attack(person);
    expect(error.get('error_description')).toBe('Unable to exchange external code');
    expect(session.has('access_token')).toBe(false);
    expect(await countAccounts(person)).toEqual({ accounts: 0 });
  });
});

describe('a sign-in with an id token that an app received', () => {
  const nonce = 'a nonce of the app';
  const hashedNonce = createHash('sha256').update(nonce).digest('hex');
  const send = async (more: Record<string, unknown>): Promise<{ status: number; body: unknown }> => {
    const response = await fetch(`${server.url}/auth/v1/token?grant_type=id_token`, {
      method: 'POST',
      headers: { apikey: server.app.keys.anonKey, 'content-type': 'application/json' },
      body: JSON.stringify({ provider: 'globex', nonce, ...more }),
    });
    return { status: response.status, body: await response.json() };
  };
  const refused = (message: string) => ({ status: 400, body: { message } });

  test('opens a session once, for the owner of the token', async () => {
    const person = newPerson();
    const tokens = await peers.globex.issueTokens('app', person, hashedNonce);
    expect(await send(tokens)).toMatchObject({ status: 200, body: { user: { email: person.email } } });
    expect(await send(tokens)).toMatchObject(refused('Bad ID token'));
  });

  test('for an app of another owner is refused', async () => {
    expect(await send(await peers.globex.issueTokens('foreign', newPerson(), hashedNonce))).toMatchObject(
      refused('Bad ID token'),
    );
  });

  test('of another provider is refused', async () => {
    const { id_token: token } = await peers.acme.issueTokens('app', newPerson(), hashedNonce);
    expect(await send({ id_token: token })).toMatchObject(refused('Bad ID token'));
  });

  test('whose claims were changed is refused', async () => {
    const { id_token: token } = await peers.globex.issueTokens('app', newPerson(), hashedNonce);
    const [header, claims = '', signature] = token.split('.');
    const changed = JSON.stringify({ ...JSON.parse(Buffer.from(claims, 'base64url').toString()), sub: 'victim' });
    const forged = [header, Buffer.from(changed).toString('base64url'), signature].join('.');
    expect(await send({ id_token: forged })).toMatchObject(refused('Bad ID token'));
    expect(await send({ id_token: token })).toMatchObject({ status: 200 });
  });

  test('with another nonce is refused', async () => {
    const { id_token: token } = await peers.globex.issueTokens('app', newPerson(), hashedNonce);
    expect(await send({ id_token: token, nonce: 'another' })).toMatchObject(refused('Nonces mismatch'));
  });

  test('without an address gets it with the access token of the same person, and of no other', async () => {
    const person = newPerson();
    const tokens = await peers.acme.issueTokens('app', person, hashedNonce);
    const { access_token } = await peers.acme.issueTokens('app', newPerson(), hashedNonce);
    const call = { provider: 'acme', id_token: tokens.id_token };
    for (const wrong of [access_token, 'unknown'])
      expect(await send({ ...call, access_token: wrong })).toMatchObject(refused('Bad ID token'));
    expect(await send({ ...call, access_token: tokens.access_token })).toMatchObject({
      status: 200,
      body: { user: { email: person.email } },
    });
  });
});
