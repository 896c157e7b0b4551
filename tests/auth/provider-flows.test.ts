import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { IdToken, SignInProvider } from '#server/providers/ports.ts';
import { type Answer, type AuthApp, type AuthServer, newProviderUser, openAuthApp, SITE, textIn } from './auth-app.ts';
import { readFragment, readLocation, readQuery } from './redirects.ts';
import { expectRefusal, INVALID } from './expect-refusal.ts';

/** The redirect to an identity provider and back: the request, the provider's answer, and what the browser and the client prove. */
type Start = Parameters<SignInProvider['startUrl']>[0];
type Redeem = Parameters<SignInProvider['redeem']>[0];
let app: AuthApp;
let server: AuthServer;
let started: Start[];
let redeemed: Redeem[];
let tokens: { accessToken: string; refreshToken: string | null };
let idToken: IdToken | null | Error;
let down: boolean;
const provider = (formPost = false): SignInProvider => ({
  name: 'google',
  formPost,
  startUrl(input) {
    started.push(input);
    return down
      ? Promise.reject(new Error('down'))
      : Promise.resolve(`https://accounts.example.com/?${started.length}`);
  },
  redeem(input) {
    redeemed.push(input);
    return down ? Promise.reject(new Error('down')) : Promise.resolve({ user: app.providerUser, ...tokens });
  },
  readIdToken: (text, access) => {
    if (idToken instanceof Error) return Promise.reject(idToken);
    return Promise.resolve(idToken && { ...idToken, user: { ...idToken.user, claims: { text, access } } });
  },
});

beforeAll(async () => {
  app = await openAuthApp();
  server = app.server({ dependencies: { providers: new Map([['google', provider()]]) } });
});
afterAll(() => app.close());
beforeEach(() => {
  [started, redeemed, down] = [[], [], false];
  tokens = { accessToken: 'provider access', refreshToken: 'provider refresh' };
  app.providerUser = newProviderUser();
  idToken = { user: app.providerUser, nonce: null, expiresAt: new Date(app.now().getTime() + 60_000) };
});

const VERIFIER = 'v'.repeat(43);
const S256 = `code_challenge=${createHash('sha256').update(VERIFIER).digest('base64url')}&code_challenge_method=s256`;
const lastState = (): string => started.at(-1)?.state ?? '';
const begin = async (query: string, from = server): Promise<Answer> => {
  const answer = await from.request('GET', `/authorize?provider=google&${query}`);
  expect(answer.status).toBe(302);
  return answer;
};
/** Follows the provider's redirect back to our callback, as a browser with these cookies. */
const comeBack = (query: string, cookies: readonly string[] = [], from = server): Promise<Answer> =>
  from.request('GET', `/callback?state=${lastState()}&${query}`, undefined, {
    headers: { cookie: cookies.map((line) => line.split(';')[0]).join('; ') },
  });
const exchange = (code: string | undefined, code_verifier = VERIFIER): Promise<Answer> =>
  server.request('POST', '/token?grant_type=pkce', { auth_code: code, code_verifier });

describe('the start', () => {
  test('sends the provider secrets of the flow, the scopes, and only those parameters of the client that are its own', async () => {
    const ours = [
      ...'redirect_to skip_http_redirect apikey scope state nonce client_id client_secret'.split(' '),
      ...'redirect_uri response_type response_mode request request_uri registration claims id_token_hint'.split(' '),
    ];
    const query = ours.map((name) => `${name}=ours`).join('&');
    const answer = await server.request('GET', `/authorize?provider=GOOGLE&scopes=a+b&prompt=login&${query}&${S256}`);
    expect(answer.headers.get('location')).toBe('https://accounts.example.com/?1');
    expect(started).toEqual([
      {
        state: expect.stringMatching(/^[\w-]{43}$/),
        nonce: expect.stringMatching(/^[\w-]{43}$/),
        verifier: expect.stringMatching(/^[\w-]{43}$/),
        scopes: 'a b',
        extra: { prompt: 'login' },
      },
    ]);
    await begin(S256);
    const secrets = started.flatMap(({ state, nonce, verifier }) => [state, nonce, verifier]);
    expect(new Set(secrets).size).toBe(6);
    expect(started[1]).toMatchObject({ scopes: null, extra: {} });
    await comeBack('code=x');
    const { state, nonce, verifier } = started[1] ?? {};
    expect(redeemed).toEqual([{ state, nonce, verifier, response: expect.any(URLSearchParams) }]);
    expect(redeemed[0]?.response.get('code')).toBe('x');
  });

  test('says that the provider does not respond', async () => {
    down = true;
    await expectRefusal(server, [
      'GET /authorize?provider=google',
      undefined,
      503,
      'unexpected_failure',
      'The identity provider is not responding. Please try again.',
    ]);
  });

  test('binds a flow without a challenge to the browser by a cookie, and no other flow', async () => {
    expect((await begin(S256)).headers.getSetCookie()).toEqual([]);
    const cookie = (await begin('')).headers.getSetCookie();
    expect(cookie).toEqual([
      `sign-in-${lastState().slice(0, 12)}=${lastState()}; Max-Age=600; Path=/auth/v1/callback; HttpOnly; SameSite=Lax`,
    ]);
    for (const [formPost, sameSite] of [
      [false, 'Lax'],
      [true, 'None'],
    ] as const) {
      const secure = app.server({
        config: { siteUrl: 'https://studio.example' },
        dependencies: { providers: new Map([['google', provider(formPost)]]) },
      });
      expect((await begin('', secure)).headers.getSetCookie()).toEqual([
        expect.stringMatching(new RegExp(`HttpOnly; Secure; SameSite=${sameSite}$`)),
      ]);
    }
  });
});

describe('the way back with a challenge', () => {
  test('ends with a code, which the verifier exchanges for the session and the tokens of the provider', async () => {
    await begin(`${S256}&redirect_to=${SITE}/back?x=1`);
    const back = await comeBack('code=x');
    expect(readLocation(back).pathname).toBe('/back');
    expect(readQuery(back)).toEqual({ x: '1', code: expect.any(String) });
    expect(await exchange(readQuery(back)['code'])).toMatchObject({
      status: 200,
      body: {
        user: { email: app.providerUser.email },
        provider_token: 'provider access',
        provider_refresh_token: 'provider refresh',
      },
    });
    tokens = { accessToken: 'only access', refreshToken: null };
    await begin(S256);
    const { body } = await exchange(readQuery(await comeBack('code=x'))['code']);
    expect(body).toMatchObject({ provider_token: 'only access' });
    expect(body).not.toHaveProperty('provider_refresh_token');
  });

  test('a wrong verifier is refused, and uses the code up', async () => {
    await begin(S256);
    const { code } = readQuery(await comeBack('code=x'));
    expect(await exchange(code, 'w'.repeat(43))).toMatchObject({
      status: 400,
      body: {
        code: 'bad_code_verifier',
        message: 'code challenge does not match previously saved code verifier',
      },
    });
    expect((await exchange(code)).status).toBe(404);
  });

  test('a state is valid for ten minutes, a code for five', async () => {
    await begin(S256);
    app.advance(11 * 60_000);
    expect(readQuery(await comeBack('code=x'))).toMatchObject({ error_code: 'bad_oauth_state' });
    await begin(S256);
    app.advance(9 * 60_000);
    const { code } = readQuery(await comeBack('code=x'));
    app.advance(6 * 60_000);
    expect(await exchange(code)).toMatchObject({
      status: 403,
      body: { code: 'flow_state_expired', message: 'invalid flow state, flow state has expired' },
    });
    await begin(S256);
    const later = readQuery(await comeBack('code=x'));
    app.advance(4 * 60_000);
    expect((await exchange(later['code'])).status).toBe(200);
  });

  test('somebody who was banned meanwhile gets no session', async () => {
    await begin(S256);
    const first = await exchange(readQuery(await comeBack('code=x'))['code']);
    await begin(S256);
    const { code } = readQuery(await comeBack('code=x'));
    const path = `/admin/users/${textIn(first.body, 'user', 'id')}`;
    await app.request('PUT', path, { ban_duration: '1h' }, { token: app.keys.serviceRoleKey });
    expect(await exchange(code)).toMatchObject({ status: 403, body: { code: 'user_banned' } });
  });
});

describe('the way back without a challenge', () => {
  test('ends with the session in the fragment, in the browser where it began', async () => {
    const cookies = (await begin(`redirect_to=${SITE}/back`)).headers.getSetCookie();
    const back = await comeBack('code=x', cookies);
    expect(readLocation(back).pathname).toBe('/back');
    const session = readFragment(back);
    expect(session).toEqual({
      access_token: expect.any(String),
      expires_at: expect.stringMatching(/^\d{10}$/),
      expires_in: '3600',
      refresh_token: expect.any(String),
      token_type: 'bearer',
      provider_token: 'provider access',
      provider_refresh_token: 'provider refresh',
    });
    expect(back.headers.getSetCookie()).toEqual([
      `sign-in-${lastState().slice(0, 12)}=; Max-Age=0; Path=/auth/v1/callback`,
    ]);
    const token = session['access_token'] ?? '';
    expect((await server.request('GET', '/user', undefined, { token })).body).toMatchObject({
      email: app.providerUser.email,
    });
    tokens = { accessToken: 'only access', refreshToken: null };
    const second = await comeBack('code=x', (await begin('')).headers.getSetCookie());
    expect(readFragment(second)).not.toHaveProperty('provider_refresh_token');
    // The flow is gone, so none of its codes can be exchanged.
    expect(
      await app.db.queryRow('select 1 from auth.flow_state where code_challenge is null and state_hash is null'),
    ).toBeNull();
  });

  test('is refused in another browser', async () => {
    const cookies = (await begin('')).headers.getSetCookie();
    await begin('');
    for (const wrong of [[], cookies]) {
      expect(readQuery(await comeBack('code=x', wrong))).toEqual({
        error: 'invalid_request',
        error_code: 'bad_oauth_state',
        error_description: 'OAuth state not found or expired',
      });
      await begin('');
    }
  });
});

describe('a refusal of the provider', () => {
  test.each([
    ['error=access_denied', 'access_denied', 'The provider refused the sign-in'],
    ['error=server_error&error_description=Not+today', 'server_error', 'Not today'],
    [`error=x&error_description=${'x'.repeat(400)}`, 'x', 'x'.repeat(300)],
    [`error=${'x'.repeat(61)}`, 'access_denied', 'The provider refused the sign-in'],
    ['error=a+b', 'access_denied', 'The provider refused the sign-in'],
    ['error=', 'access_denied', 'The provider refused the sign-in'],
  ])('%s leads back to the page, in its query and its fragment', async (query, error, error_description) => {
    await begin(`${S256}&redirect_to=${SITE}/back`);
    const back = await comeBack(query);
    expect(readLocation(back).pathname).toBe('/back');
    expect(readQuery(back)).toEqual({ error, error_code: 'access_denied', error_description });
    expect(readFragment(back)).toEqual(readQuery(back));
    expect(redeemed).toEqual([]);
  });

  test('to exchange its code is told as a fault of the server', async () => {
    await begin(`${S256}&redirect_to=${SITE}/back`);
    down = true;
    expect(readQuery(await comeBack('code=x'))).toEqual({
      error: 'server_error',
      error_code: 'unexpected_failure',
      error_description: 'Unable to exchange external code',
    });
  });

  test('a page without a state, and a server without providers, get no further', async () => {
    expect(readQuery(await server.request('GET', '/callback?code=x'))).toMatchObject({
      error_code: 'bad_oauth_callback',
      error_description: 'OAuth state parameter missing',
    });
    await expectRefusal(app.server({ dependencies: { providers: new Map() } }), [
      'GET /callback?code=x&state=x',
      undefined,
      ...INVALID,
      'Unsupported provider: provider is not enabled',
    ]);
  });

  test('a provider may post its answer as a form', async () => {
    await begin(S256);
    const body = `state=${lastState()}&code=posted`;
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const back = await server.request('POST', '/callback', body, { headers });
    expect(readQuery(back)).toEqual({ code: expect.any(String) });
    expect(redeemed[0]?.response.get('code')).toBe('posted');
  });
});

describe('linking', () => {
  const start = (token: string, more = '') =>
    server.request('GET', `/user/identities/authorize?provider=google&${S256}${more}`, undefined, { token });
  test('adds the identity to the signed-in account, once', async () => {
    const [person, other] = [await app.member(), await app.member()];
    expect(await start(person.token, '&skip_http_redirect=true')).toMatchObject({
      status: 200,
      body: { url: 'https://accounts.example.com/?1' },
    });
    expect(await exchange(readQuery(await comeBack('code=x'))['code'])).toMatchObject({
      body: { user: { id: person.id, app_metadata: { provider: 'email', providers: ['email', 'google'] } } },
    });
    for (const [who, message] of [
      [person, 'Identity is already linked'],
      [other, 'Identity is already linked to another user'],
    ] as const) {
      expect((await start(who.token)).status).toBe(302);
      expect(readQuery(await comeBack('code=x'))).toEqual({
        error: 'access_denied',
        error_code: 'identity_already_exists',
        error_description: message,
      });
    }
  });

  test('an account of an organisation gets no other identity', async () => {
    const person = await app.member();
    await app.db.query('update auth.users set is_sso_user = true where id = $1::uuid', [person.id]);
    await start(person.token);
    expect(readQuery(await comeBack('code=x'))).toMatchObject({
      error_code: 'user_sso_managed',
      error_description: 'This account is managed by its organisation. Sign in with single sign-on.',
    });
  });
});

describe('an id token', () => {
  const DOWN = [503, 'unexpected_failure', 'The identity provider is not responding. Please try again.'] as const;
  const CALL = 'POST /token?grant_type=id_token';
  const sign = (more: Record<string, unknown> = {}) => ({
    provider: 'Google',
    id_token: String(Math.random()),
    ...more,
  });
  test('is read with the access token, and its user gets a session', async () => {
    const { status, body } = await server.request('POST', '/token?grant_type=id_token', {
      ...sign({ access_token: 'access' }),
      id_token: 'the token',
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      user: {
        email: app.providerUser.email,
        user_metadata: { text: 'the token', access: 'access' },
        app_metadata: { provider: 'google', providers: ['google'] },
      },
    });
  });

  test('needs the nonce whose hash it has, and none without one', async () => {
    const EITHER = 'Passed nonce and nonce in id_token should either both exist or not.';
    await expectRefusal(server, [CALL, sign({ nonce: 'n' }), ...INVALID, EITHER]);
    const nonce = createHash('sha256').update('n').digest('hex');
    idToken = { user: app.providerUser, nonce, expiresAt: new Date(app.now().getTime() + 60_000) };
    await expectRefusal(server, [CALL, sign(), ...INVALID, EITHER]);
    await expectRefusal(server, [CALL, sign({ nonce: 'm' }), ...INVALID, 'Nonces mismatch']);
    expect((await server.request('POST', '/token?grant_type=id_token', sign({ nonce: 'n' }))).status).toBe(200);
  });

  test('is refused when the provider does not accept it, does not answer, or reads none', async () => {
    idToken = null;
    await expectRefusal(server, [CALL, sign(), ...INVALID, 'Bad ID token']);
    idToken = new Error('down');
    await expectRefusal(server, [CALL, sign(), ...DOWN]);
    const none = app.server({
      dependencies: { providers: new Map([['google', { ...provider(), readIdToken: null }]]) },
    });
    await expectRefusal(none, [CALL, sign(), 400, 'provider_disabled', 'Provider is not enabled']);
  });
});
