import { randomBytes, randomUUID } from 'node:crypto';
import { ed25519 } from '@noble/curves/ed25519.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type Answer,
  type AuthApp,
  createSsoProvider,
  openAuthApp,
  type SignedInUser,
  SITE,
  newProviderUser,
  textIn,
} from './auth-app.ts';
import { readLocation } from './redirects.ts';

let app: AuthApp;
beforeAll(async () => {
  app = await openAuthApp();
});
afterAll(() => app.close());
const token = (body: Record<string, unknown>, requests = {}): Promise<Answer> =>
  app.request('POST', '/token?grant_type=id_token', { provider: 'google', ...body }, requests);
let proofs = 600;
/** Signs in the user that the provider returns next, with a new id token. */
const signIn = (requests = {}, more = {}): Promise<Answer> =>
  token({ id_token: String((proofs += 1)), ...more }, requests);

describe('a sign-in by an identity provider', () => {
  const VERIFIER = 'v'.repeat(43);
  const authorize = (more = '') =>
    app.request(
      'GET',
      `/authorize?provider=google&code_challenge=${VERIFIER}&code_challenge_method=plain&redirect_to=${SITE}/back${more}`,
    );
  const callback = (begun: Answer, server: Pick<AuthApp, 'request'> = app) =>
    server.request('GET', `/callback?code=x&state=${readLocation(begun).searchParams.get('state')}`);

  test('redirects to the provider and back with a code that can be exchanged once', async () => {
    app.providerUser = newProviderUser();
    const back = readLocation(await callback(await authorize()));
    expect(`${back.origin}${back.pathname}`).toBe(`${SITE}/back`);
    const body = { auth_code: back.searchParams.get('code'), code_verifier: VERIFIER };
    const trade = () => app.request('POST', '/token?grant_type=pkce', body);
    expect(await trade()).toMatchObject({ status: 200, body: { user: { email: app.providerUser.email } } });
    expect(await trade()).toMatchObject({ status: 404 });
    const firstAction = `select payload ->> 'action' as action from auth.audit_log_entries a join auth.users u
      on u.id::text = payload ->> 'actor_id' where u.email = $1 order by a.created_at limit 1`;
    expect(await app.db.queryRow(firstAction, [app.providerUser.email])).toEqual({ action: 'user_signedup' });
  });

  test('a state is accepted once, and an unknown one redirects to the site with the reason', async () => {
    app.providerUser = newProviderUser();
    const begun = await authorize();
    await callback(begun);
    for (const answer of [await callback(begun), await app.request('GET', '/callback?code=x&state=unknown')])
      expect(readLocation(answer).searchParams.get('error_code')).toBe('bad_oauth_state');
  });

  test('errors go to the page of redirect_to', async () => {
    app.providerUser = newProviderUser({ subject: '' });
    const noSubject = readLocation(await callback(await authorize())).searchParams;
    expect(noSubject.get('error_description')).toBe('Missing sub claim');
    expect(noSubject.get('error')).toBe('invalid_request');
    app.providerUser = newProviderUser();
    const { body } = await signIn();
    const path = `/admin/users/${textIn(body, 'user', 'id')}`;
    await app.request('PUT', path, { ban_duration: '1h' }, { token: app.keys.serviceRoleKey });
    const banned = readLocation(await callback(await authorize())).searchParams;
    expect([banned.get('error'), banned.get('error_code')]).toEqual(['access_denied', 'user_banned']);
    app.providerUser = newProviderUser();
    const closed = app.server({ config: { signupEnabled: false } });
    const unknown = readLocation(await callback(await authorize(), closed)).searchParams;
    expect([unknown.get('error'), unknown.get('error_code')]).toEqual(['access_denied', 'signup_disabled']);
    const begun = await authorize();
    const others = app.server({ dependencies: { providers: new Map([['other', { ...provider(), name: 'other' }]]) } });
    expect(readLocation(await callback(begun, others)).searchParams.get('error_description')).toBe(
      'Unsupported provider: provider is not enabled',
    );
  });

  test('an unknown challenge method is refused by name', async () => {
    const { body } = await app.request('GET', `/authorize?provider=google&code_challenge=x&code_challenge_method=md5`);
    expect(body).toMatchObject({ message: 'unsupported code_challenge method "md5"' });
  });

  test('an id token is accepted once', async () => {
    app.providerUser = newProviderUser();
    expect((await token({ id_token: '500' })).status).toBe(200);
    expect(await token({ id_token: '500' })).toMatchObject({ status: 400, body: { message: 'Bad ID token' } });
  });
});

describe('identities of an account', () => {
  /** Creates a signed-in user with a second identity, which by default has the user's own address. */
  async function linked(email?: string): Promise<{ person: SignedInUser; ids: Record<string, string> }> {
    const person = await app.member();
    app.providerUser = newProviderUser({ email: email ?? person.email });
    expect((await signIn({ token: person.token }, { link_identity: true })).status).toBe(200);
    const { body } = await app.request('GET', '/user', undefined, { token: person.token });
    const all = Object.values(Object(body['identities']));
    return {
      person,
      ids: Object.fromEntries(all.map((identity) => [textIn(identity, 'provider'), textIn(identity, 'identity_id')])),
    };
  }
  const unlink = (person: SignedInUser, id: string | undefined) =>
    app.request('DELETE', `/user/identities/${id}`, undefined, { token: person.token });
  const account = async (person: SignedInUser) =>
    (await app.request('GET', '/user', undefined, { token: person.token })).body;

  test('one is removed, the last one stays, and an unknown one is not found', async () => {
    const { person, ids } = await linked();
    expect(await unlink(person, randomUUID())).toMatchObject({ status: 422, body: { code: 'identity_not_found' } });
    expect((await unlink(person, ids['google'])).status).toBe(200);
    expect(await account(person)).toMatchObject({
      identities: [{ identity_id: ids['email'] }],
      app_metadata: { providers: ['email'] },
    });
    expect((await unlink(person, ids['email'])).body).toMatchObject({ code: 'single_identity_not_deletable' });
  });

  test('removing the email identity removes the password, and the account takes the address of the remaining one', async () => {
    const { person, ids } = await linked(`${randomUUID().slice(0, 8)}@example.com`);
    expect((await unlink(person, ids['email'])).status).toBe(200);
    expect(await account(person)).toMatchObject({ email: app.providerUser.email });
    await expect(app.signIn(app.providerUser.email ?? '')).rejects.toThrow('400');
  });

  test('the account keeps its address while another identity has it', async () => {
    const { person, ids } = await linked(`${randomUUID().slice(0, 8)}@example.com`);
    app.providerUser = newProviderUser({ email: person.email });
    await signIn({ token: person.token }, { link_identity: true });
    expect((await unlink(person, ids['email'])).status).toBe(200);
    expect(await account(person)).toMatchObject({ email: person.email });
  });

  test('an email identity cannot be removed when the remaining address belongs to another account', async () => {
    const other = await app.member();
    const { person, ids } = await linked(other.email);
    expect(await unlink(person, ids['email'])).toMatchObject({
      status: 422,
      body: { code: 'email_conflict_identity_not_deletable' },
    });
    expect(await account(person)).toMatchObject({ email: person.email });
  });
});

describe('wallets', () => {
  const secret = ed25519.utils.randomSecretKey();
  type Dependencies = { uri?: string; domain?: string; age?: number; more?: readonly string[]; first?: string };
  const message = (
    address: string,
    { uri = `${SITE}/auth`, domain, age = 0, more = [], first }: Dependencies,
  ): string =>
    [
      first ?? `${domain ?? new URL(uri).host} wants you to sign in with your Solana account:`,
      address,
      '',
      `URI: ${uri}`,
      'Version: 1',
      `Nonce: ${randomBytes(8).toString('hex')}`,
      `Issued At: ${new Date(app.now().getTime() - age).toISOString()}`,
      ...more,
    ].join('\n');
  const signInWithWallet = (dependencies: Dependencies = {}, key = secret): Promise<Answer> => {
    const text = message(toBase58(ed25519.getPublicKey(key)), dependencies);
    const signature = Buffer.from(ed25519.sign(Buffer.from(text), key)).toString('base64');
    return app.request('POST', '/token?grant_type=web3', { chain: 'solana', message: text, signature });
  };

  test('a wallet gets the same account again, and another wallet another one', async () => {
    const [first, repeated] = [await signInWithWallet(), await signInWithWallet()];
    const other = await signInWithWallet({}, ed25519.utils.randomSecretKey());
    expect([first.status, repeated.status, other.status]).toEqual([200, 200, 200]);
    expect(textIn(repeated.body, 'user', 'id')).toBe(textIn(first.body, 'user', 'id'));
    expect(textIn(other.body, 'user', 'id')).not.toBe(textIn(first.body, 'user', 'id'));
  });

  test('a message is refused after its expiry and after ten minutes', async () => {
    const at = (ms: number) => `Expiration Time: ${new Date(app.now().getTime() + ms).toISOString()}`;
    expect((await signInWithWallet({ more: [at(60_000)] })).status).toBe(200);
    expect((await signInWithWallet({ age: 9 * 60_000 })).status).toBe(200);
    expect((await signInWithWallet({ age: 120_000, more: [at(-60_000)] })).body).toMatchObject({
      message: 'Signed Solana message is expired',
    });
    for (const [age, more, reason] of [
      [11 * 60_000, [], 'Solana message was issued too long ago'],
      [-11 * 60_000, [], 'Solana message was issued too far in the future'],
      [0, [`Not Before: ${new Date(app.now().getTime() + 60_000).toISOString()}`], 'becomes valid in the future'],
    ] as const)
      expect((await signInWithWallet({ age, more })).body).toMatchObject({
        code: 'invalid_grant',
        message: expect.stringContaining(reason),
      });
  });

  test('a message counts once, with its own signature, and within its size', async () => {
    const key = ed25519.utils.randomSecretKey();
    const address = toBase58(ed25519.getPublicKey(key));
    const send = (text: string, signed = text, more = {}) =>
      app.request('POST', '/token?grant_type=web3', {
        chain: 'solana',
        message: text,
        signature: Buffer.from(ed25519.sign(Buffer.from(signed), key)).toString('base64'),
        ...more,
      });
    const text = message(address, { more: ['Chain ID: mainnet'] });
    expect(await send(text)).toMatchObject({
      status: 200,
      body: {
        user: {
          email: '',
          app_metadata: { provider: 'web3', providers: ['web3'] },
          user_metadata: {
            custom_claims: { address, chain: 'solana', network: 'mainnet', domain: 'localhost:4000', statement: null },
          },
          identities: [{ provider: 'web3', id: `web3:solana:${address}` }],
        },
      },
    });
    const long = `${message(address, {})}\nResources:\n- ${'x'.repeat(20 * 1024)}`;
    for (const [answer, reason] of [
      [send(text), 'Signed Solana message has been used already'],
      [send(message(address, {}), 'another'), 'Signature does not match address in message'],
      [send(message(address, {}), 'x', { signature: 'x' }), 'signature must be 64 bytes encoded as base64'],
      [send('x'.repeat(63)), 'message is too short'],
      [send('x'.repeat(64)), 'message needs to be at least 6 lines long'],
      [send(long), 'message must not exceed 20KB'],
      [send(text, text, { chain: 'toString' }), 'Unsupported chain'],
    ] as const) {
      const { status, body } = await answer;
      expect([status, body['message']]).toEqual([400, expect.stringContaining(reason)]);
    }
    expect((await send(long.slice(0, 20 * 1024))).status).toBe(200);
  });

  test('a message for another page, or with unknown lines, is refused', async () => {
    for (const [dependencies, reason] of [
      [{ uri: 'https://evil.example/auth' }, 'was signed for another app'],
      [{ uri: 'http://evil.example/auth' }, 'does not use HTTPS'],
      [{ domain: 'evil.example' }, 'does not match the one in URI'],
      [{ more: ['Amount: 1'] }, 'line "Amount: 1" is not part of a sign-in message'],
      [{ first: 'localhost:4000 wants your money' }, 'first line does not end in'],
      [{ more: ['Version: 1'] }, 'Version appears twice'],
    ] as const)
      expect((await signInWithWallet(dependencies)).body, reason).toMatchObject({
        message: expect.stringContaining(reason),
      });
  });
});

describe('single sign-on', () => {
  const requests: { requestId: string }[] = [];
  const call = (method: string, path: string, body?: unknown) =>
    app
      .server({ dependencies: { ssoProviders: [createSsoProvider('work.example', requests)] } })
      .request(method, path, body);

  test('starts by email domain or by provider id, with a new request each time', async () => {
    for (const named of [{ domain: 'Work.example' }, { provider_id: '5A4D1000-0000-4000-8000-000000000001' }])
      expect(await call('POST', '/sso', { ...named, skip_http_redirect: true })).toMatchObject({
        status: 200,
        body: { url: expect.stringContaining('https://sso.work.example/?RelayState=') },
      });
    expect(requests.map(({ requestId }) => requestId)).toEqual(Array(2).fill(expect.stringMatching(/^_[\da-f]{40}$/)));
    expect((await call('POST', '/sso', { domain: 'elsewhere.example' })).status).toBe(404);
    const body = { domain: 'work.example', code_challenge: 'c'.repeat(43), code_challenge_method: 's256' };
    expect((await call('POST', '/sso', body)).status).toBe(303);
  });

  test('over HTTPS the cookie that binds it to the browser comes back with a form post from another site', async () => {
    const { headers } = await app
      .server({
        config: { siteUrl: 'https://studio.example' },
        dependencies: { ssoProviders: [createSsoProvider('work.example', requests)] },
      })
      .request('POST', '/sso', { domain: 'work.example', skip_http_redirect: true });
    expect(headers.getSetCookie()).toEqual([expect.stringMatching(/; HttpOnly; Secure; SameSite=None$/)]);
  });

  test('the metadata for identity providers requests a persistent name id', async () => {
    const { body } = await call('GET', '/sso/saml/metadata');
    expect(textIn(body, 'text')).toContain('<NameIDFormat>urn:oasis:names:tc:SAML:2.0:nameid-format:persistent<');
  });
});

const provider = () => ({
  formPost: false,
  startUrl: () => Promise.resolve('https://accounts.example.com/'),
  redeem: () => Promise.resolve({ user: newProviderUser(), accessToken: 'x', refreshToken: null }),
  readIdToken: null,
});

const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
function toBase58(bytes: Uint8Array): string {
  let number = BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
  let text = '';
  for (; number > 0n; number /= 58n) text = (BASE58[Number(number % 58n)] ?? '') + text;
  return text.padStart(32, '1');
}
