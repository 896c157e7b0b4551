import { createHash, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createWalker, readForm, type Step, type Walker } from '#tests/support/browser-walk.ts';
import { type AuthTestServer, startAuthTestServer, PASSWORD, engines, oneEngine } from './auth-test-server.ts';

type Client = ReturnType<AuthTestServer['visitor']>;
type Who = { email: string; name?: string; verified?: boolean };

/** Return the parameters in the fragment or the query of a final URL. */
const fragment = (url: string | null): URLSearchParams => new URLSearchParams(new URL(url ?? '').hash.slice(1));
const query = (url: string | null): URLSearchParams => new URL(url ?? '').searchParams;
const computeChallenge = (verifier: string): string => createHash('sha256').update(verifier).digest('base64url');
const VERIFIER = 'v'.repeat(64);

describe.each(engines)('identity providers with supabase-js (PostgreSQL: %s)', (postgres) => {
  let server: AuthTestServer;
  let count = 0;
  const env = {
    AUTH_PROVIDERS: 'google,github,apple,acme',
    AUTH_REDIRECTS: 'https://app.example.com/**,https://*.preview.example.com/back,my-app://sign-in',
    AUTH_MANUAL_LINKING: 'true',
  };
  beforeAll(async () => {
    server = await startAuthTestServer({ postgres, env });
  });
  afterAll(() => server.close());
  const someone = (): string => `outside${(count += 1)}-${randomUUID().slice(0, 4)}@example.com`;
  const walker = (): Walker => createWalker(`10.3.0.${(count += 1) % 250}`);
  const authorizeUrl = (more: Record<string, string>): string =>
    `${server.url}/auth/v1/authorize?${new URLSearchParams({ provider: 'google', ...more }).toString()}`;
  /** Consents on the provider's page and returns the URL of our callback. */
  async function consent(walk: Walker, start: string, who: Who): Promise<string> {
    const page = await walk.go(start);
    expect(page.status).toBe(200);
    expect(page.page).toContain('Choose an account');
    const back = await walk.go(start, {
      method: 'POST',
      form: {
        email: who.email,
        name: who.name ?? 'Alex Outside',
        ...(who.verified === false ? {} : { verified: 'yes' }),
      },
    });
    expect(back.status).toBe(303);
    return back.location ?? '';
  }
  /** Completes the whole flow in a browser without a verifier. */
  async function walkImplicit(who: Who, more: Record<string, string> = {}, walk = walker()): Promise<Step> {
    const start = await walk.go(authorizeUrl(more));
    expect(start.status).toBe(302);
    return walk.go(await consent(walk, start.location ?? '', who));
  }
  async function walkPkce(who: Who, more: Record<string, string> = {}): Promise<string> {
    const pkce = { code_challenge: computeChallenge(VERIFIER), code_challenge_method: 's256' };
    const landed = await walkImplicit(who, { ...pkce, ...more });
    return query(landed.location).get('code') ?? '';
  }
  const trade = (code: string, verifier = VERIFIER) =>
    server.request('POST', '/token?grant_type=pkce', { auth_code: code, code_verifier: verifier });
  const readUser = async (token: string | null): Promise<Record<string, unknown>> =>
    (await server.request('GET', '/user', undefined, { authorization: `Bearer ${token}` })).body;

  test('the client builds the URL, the person consents, and the session comes in the fragment [spec 7.5]', async () => {
    const email = someone();
    const client = server.visitor();
    const { data } = await client.auth.signInWithOAuth({
      provider: 'google',
      options: { redirectTo: `${server.url}/auth`, scopes: 'calendar', skipBrowserRedirect: true },
    });
    const walk = walker();
    const start = await walk.go(data.url ?? '');
    const authorization = query(start.location);
    expect(authorization.get('scope')?.split(' ').toSorted()).toEqual(['calendar', 'email', 'openid', 'profile']);
    expect(authorization.get('code_challenge_method')).toBe('S256');
    expect(authorization.get('nonce')).toMatch(/^[\w-]{43}$/);
    const landed = await walk.go(await consent(walk, start.location ?? '', { email, name: 'Robin Outside' }));
    expect(landed.status).toBe(302);
    expect(landed.location).toMatch(`${server.url}/auth#`);
    const session = fragment(landed.location);
    expect(Object.fromEntries(session)).toMatchObject({
      token_type: 'bearer',
      expires_in: '3600',
      provider_token: expect.stringMatching(/^ya29\./),
    });
    const user = await readUser(session.get('access_token'));
    expect(user).toMatchObject({
      email,
      app_metadata: { provider: 'google', providers: ['google'] },
      user_metadata: { full_name: 'Robin Outside' },
      identities: [{ provider: 'google', email, identity_data: { email_verified: true } }],
    });
    expect(user['email_confirmed_at']).toBeTruthy();
    const set = await client.auth.setSession({
      access_token: session.get('access_token') ?? '',
      refresh_token: session.get('refresh_token') ?? '',
    });
    expect(set.error).toBeNull();
    expect((await client.auth.refreshSession()).error).toBeNull();
    expect((await client.from('profiles').select('full_name,email').single()).data).toEqual({
      full_name: 'Robin Outside',
      email,
    });
    const claims = (await client.auth.getClaims()).data?.claims;
    expect(claims).toMatchObject({ aal: 'aal1', amr: [{ method: 'oauth' }] });

    const second = await readUser(fragment((await walkImplicit({ email })).location).get('access_token'));
    expect(second['id']).toBe(user['id']);
  });

  test('with a verifier it ends in a code that the client exchanges for the session, once [spec 7.3]', async () => {
    const email = someone();
    const code = await walkPkce({ email });
    expect(code).toMatch(/^[0-9a-f-]{36}$/);
    const traded = await trade(code);
    expect(traded).toMatchObject({
      status: 200,
      body: { token_type: 'bearer', user: { email }, provider_token: expect.stringMatching(/^ya29\./) },
    });
    expect(await trade(code)).toMatchObject({
      status: 404,
      body: { code: 'flow_state_not_found', message: 'invalid flow state, no valid flow state found' },
    });
    const plain = await walkPkce({ email }, { code_challenge: VERIFIER, code_challenge_method: 'plain' });
    expect((await trade(plain)).status).toBe(200);
    const raced = await walkPkce({ email });
    const answers = await Promise.all([1, 2, 3, 4].map(() => trade(raced)));
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1);
    expect(answers.filter((answer) => answer.status === 404)).toHaveLength(3);
  });

  test('a stolen code is useless: wrong verifier, too late, or used before', async () => {
    const email = someone();
    const stolen = await walkPkce({ email });
    expect(await trade(stolen, 'w'.repeat(64))).toMatchObject({ status: 400, body: { code: 'bad_code_verifier' } });
    expect((await trade(stolen)).status).toBe(404);
    const late = await walkPkce({ email });
    server.advance(301_000);
    expect(await trade(late)).toMatchObject({ status: 403, body: { code: 'flow_state_expired' } });
    for (const body of [{}, { auth_code: '' }, { auth_code: 'x', code_verifier: '' }])
      expect((await server.request('POST', '/token?grant_type=pkce', body)).status).toBe(400);
    for (const more of [
      { code_challenge: computeChallenge(VERIFIER) },
      { code_challenge_method: 's256' },
      { code_challenge: 'short', code_challenge_method: 's256' },
      { code_challenge: `${'x'.repeat(42)}!`, code_challenge_method: 's256' },
      { code_challenge: computeChallenge(VERIFIER), code_challenge_method: 'none' },
    ])
      expect(
        await server.request('GET', `/authorize?${new URLSearchParams({ provider: 'google', ...more }).toString()}`),
      ).toMatchObject({
        status: 400,
        body: { code: 'validation_failed' },
      });
  });

  test('an answer counts once, for its state, in the browser that started the flow', async () => {
    const email = someone();
    const walk = walker();
    const start = await walk.go(authorizeUrl({}));
    const back = await consent(walk, start.location ?? '', { email });
    // Another browser that follows this link would be signed in as the attacker, so it is refused.
    const attacked = await walker().go(back);
    expect(query(attacked.location).get('error_code')).toBe('bad_oauth_state');
    expect(query((await walk.go(back)).location).get('error_code')).toBe('bad_oauth_state');

    const other = walker();
    const second = await other.go(authorizeUrl({}));
    const answer = new URL(await consent(other, second.location ?? '', { email }));
    expect(fragment((await other.go(answer.href)).location).get('access_token')).toBeTruthy();
    expect(query((await other.go(answer.href)).location).get('error_code')).toBe('bad_oauth_state');
    for (const [name, value] of [
      ['state', 'x'.repeat(43)],
      ['state', ''],
    ] as const) {
      answer.searchParams.set(name, value);
      expect(query((await other.go(answer.href)).location).get('error')).toBe('invalid_request');
    }
    // The code belongs to another flow: verifier and nonce do not match.
    const mine = walker();
    const first = await mine.go(authorizeUrl({}));
    const mineBack = new URL(await consent(mine, first.location ?? '', { email: someone() }));
    const third = await mine.go(authorizeUrl({}));
    const theirs = new URL(await consent(mine, third.location ?? '', { email }));
    mineBack.searchParams.set('code', theirs.searchParams.get('code') ?? '');
    const mixed = query((await mine.go(mineBack.href)).location);
    expect(mixed.get('error')).toBe('server_error');
    expect(mixed.get('error_description')).toBe('Unable to exchange external code');
    const wrongIssuer = walker();
    const fourth = await wrongIssuer.go(authorizeUrl({}));
    const confused = new URL(await consent(wrongIssuer, fourth.location ?? '', { email }));
    confused.searchParams.set('iss', 'https://evil.example');
    expect(query((await wrongIssuer.go(confused.href)).location).get('error')).toBe('server_error');
    const old = walker();
    const fifth = await old.go(authorizeUrl({}));
    const tooLate = await consent(old, fifth.location ?? '', { email });
    server.advance(601_000);
    expect(query((await old.go(tooLate)).location).get('error_code')).toBe('bad_oauth_state');
  });

  test('a refusal redirects back with the reason, in query and fragment', async () => {
    const walk = walker();
    const start = await walk.go(authorizeUrl({ redirect_to: `${server.url}/auth?a=1` }));
    const back = await walk.go(start.location ?? '', { method: 'POST', form: { refuse: 'yes' } });
    const landed = await walk.go(back.location ?? '');
    const expected = {
      error: 'access_denied',
      error_code: 'access_denied',
      error_description: 'The sign-in was cancelled',
    };
    expect(Object.fromEntries(query(landed.location))).toEqual({ a: '1', ...expected });
    expect(Object.fromEntries(fragment(landed.location))).toEqual(expected);
  });

  test("GitHub's dialect, a form post (Apple) and a provider without a preset work as well", async () => {
    for (const provider of ['github', 'acme']) {
      const email = someone();
      const landed = await walkImplicit({ email, name: 'Kim Outside' }, { provider });
      const user = await readUser(fragment(landed.location).get('access_token'));
      expect(user).toMatchObject({
        email,
        app_metadata: { providers: [provider] },
        user_metadata: { full_name: 'Kim Outside' },
      });
    }
    const email = someone();
    const walk = walker();
    const start = await walk.go(authorizeUrl({ provider: 'apple' }));
    expect(query(start.location).get('response_mode')).toBe('form_post');
    const page = await walk.go(start.location ?? '', { method: 'POST', form: { email, name: 'Kim', verified: 'yes' } });
    const { action, fields } = readForm(page.page);
    expect(action).toBe(`${server.url}/auth/v1/callback`);
    const landed = await walk.go(action, { method: 'POST', form: fields });
    expect(await readUser(fragment(landed.location).get('access_token'))).toMatchObject({
      email,
      app_metadata: { provider: 'apple' },
    });
  });

  test('a verified address finds its account; an unverified one neither signs in nor creates an account', async () => {
    const email = someone();
    const client = await server.member(email);
    const { data } = await client.auth.getUser();
    const landed = await walkImplicit({ email });
    expect(await readUser(fragment(landed.location).get('access_token'))).toMatchObject({
      id: data.user?.id,
      app_metadata: { provider: 'email', providers: ['email', 'google'] },
    });
    expect((await server.visitor().auth.signInWithPassword({ email, password: PASSWORD })).error).toBeNull();
    const taken = someone();
    await server.member(taken);
    for (const address of [taken, someone()]) {
      const refused = await walkImplicit({ email: address, verified: false }, { provider: 'github' });
      expect(query(refused.location).get('error_code')).toBe('provider_email_needs_verification');
    }
    expect(
      await server.app.db.queryRow(
        `select count(*)::int as n from auth.identities where provider = 'github' and (identity_data ->> 'email_verified') = 'false'`,
      ),
    ).toEqual({ n: 0 });
  });

  test('an earlier sign-up that never proved its address loses its password and code when the owner signs in', async () => {
    const email = someone();
    const thief = server.visitor();
    await thief.auth.signUp({ email, password: PASSWORD, options: { data: { full_name: 'Thief' } } });
    const { code } = await server.mail(email);
    const landed = await walkImplicit({ email, name: 'Owner' });
    const user = await readUser(fragment(landed.location).get('access_token'));
    expect(user).toMatchObject({
      email,
      app_metadata: { providers: ['google'] },
      identities: [{ provider: 'google' }],
    });
    expect(JSON.stringify(user)).not.toContain('Thief');
    expect((await thief.auth.signInWithPassword({ email, password: PASSWORD })).error?.code).toBe(
      'invalid_credentials',
    );
    expect((await thief.auth.verifyOtp({ email, token: code, type: 'email' })).error?.code).toBe('otp_expired');
  });

  test('banned accounts stay out', async () => {
    const email = someone();
    const landed = await walkImplicit({ email });
    const { id } = await readUser(fragment(landed.location).get('access_token'));
    await server.app.db.query(`update auth.users set banned_until = 'infinity' where id = $1::uuid`, [id]);
    expect(query((await walkImplicit({ email })).location).get('error_code')).toBe('user_banned');
  });

  describe('identities of an account', () => {
    const bearer = async (client: Client): Promise<string> =>
      (await client.auth.getSession()).data.session?.access_token ?? '';

    test('are linked by their owner, listed, and unlinked down to the last [spec 7.6]', async () => {
      const email = someone();
      const client = await server.member(email);
      const { data, error } = await client.auth.linkIdentity({
        provider: 'google',
        options: { redirectTo: `${server.url}/profile`, skipBrowserRedirect: true },
      });
      expect(error).toBeNull();
      const walk = walker();
      const other = someone();
      const landed = await walk.go(await consent(walk, data?.url ?? '', { email: other, verified: false }));
      expect(landed.location).toMatch(`${server.url}/profile#access_token=`);
      const { data: found } = await client.auth.getUserIdentities();
      expect(found?.identities.map((identity) => identity.provider)).toEqual(['email', 'google']);
      const user = await readUser(await bearer(client));
      expect(user).toMatchObject({ email, app_metadata: { provider: 'email', providers: ['email', 'google'] } });

      const mail = found?.identities[0];
      const google = found?.identities[1];
      if (!mail || !google) throw new Error('an identity is missing');
      expect((await client.auth.unlinkIdentity(mail)).error).toBeNull();
      expect((await client.auth.getUserIdentities()).data?.identities).toMatchObject([{ provider: 'google' }]);
      expect((await server.visitor().auth.signInWithPassword({ email, password: PASSWORD })).error?.code).toBe(
        'invalid_credentials',
      );
      // An unverified address does not become the account's address, where it would count as confirmed.
      expect((await client.auth.getUser()).data.user?.email).toBe(email);
      expect((await client.auth.unlinkIdentity(google)).error).toMatchObject({
        status: 422,
        code: 'single_identity_not_deletable',
        message: 'User must have at least 1 identity after unlinking',
      });
      expect((await client.auth.unlinkIdentity({ ...google, identity_id: randomUUID() })).error).toBeTruthy();
    });

    test('belong to one account, and nobody else can unlink them', async () => {
      const email = someone();
      await walkImplicit({ email });
      const client = await server.member(someone());
      const { data } = await client.auth.linkIdentity({ provider: 'google', options: { skipBrowserRedirect: true } });
      const walk = walker();
      const landed = await walk.go(await consent(walk, data?.url ?? '', { email }));
      expect(query(landed.location).get('error_code')).toBe('identity_already_exists');
      expect(query(landed.location).get('error_description')).toBe('Identity is already linked to another user');

      const victim = await server.member(someone());
      const mail = (await victim.auth.getUserIdentities()).data?.identities[0];
      const two = (await client.auth.getUserIdentities()).data?.identities ?? [];
      expect(two).toHaveLength(1);
      const refused = await server.request('DELETE', `/user/identities/${mail?.identity_id}`, undefined, {
        authorization: `Bearer ${await bearer(client)}`,
      });
      expect(refused.status).toBe(422);
      expect((await victim.auth.getUserIdentities()).data?.identities).toHaveLength(1);
      expect(await server.request('DELETE', '/user/identities/x')).toMatchObject({ status: 401 });
    });
  });

  describe('id tokens', () => {
    const idToken = async (more: Record<string, unknown>): Promise<string> =>
      String(((await server.sandbox('/api/id-token', more)) as { id_token?: unknown }).id_token);
    const person = async (): Promise<string> => {
      const email = someone();
      await server.sandbox('/api/people', { email, name: 'Sam Phone' });
      return email;
    };

    test('of a provider, for our client and with the right nonce, open a session once [spec 7.3]', async () => {
      const email = await person();
      const nonce = randomUUID();
      const hashed = createHash('sha256').update(nonce).digest('hex');
      const token = await idToken({ email, nonce: hashed });
      const client = server.visitor();
      expect((await client.auth.signInWithIdToken({ provider: 'google', token })).error?.message).toContain('nonce');
      expect((await client.auth.signInWithIdToken({ provider: 'google', token, nonce: 'other' })).error?.message).toBe(
        'Nonces mismatch',
      );
      const { data, error } = await client.auth.signInWithIdToken({ provider: 'google', token, nonce });
      expect(error).toBeNull();
      expect(data.user).toMatchObject({ email, app_metadata: { providers: ['google'] } });
      expect((await server.visitor().auth.signInWithIdToken({ provider: 'google', token, nonce })).error).toMatchObject(
        {
          status: 400,
          message: 'Bad ID token',
        },
      );
    });

    test('that are forged, for another client, expired or of another kind are refused', async () => {
      const email = await person();
      const good = await idToken({ email });
      const [head = '', body = '', mark = ''] = good.split('.');
      const claims = JSON.parse(Buffer.from(body, 'base64url').toString());
      const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
      const kid = JSON.parse(Buffer.from(head, 'base64url').toString()).kid;
      const client = await server.member(someone());
      const own = (await client.auth.getSession()).data.session?.access_token ?? '';
      const tokens = {
        junk: 'junk',
        none: `${part({ alg: 'none' })}.${body}.`,
        'HS256 by the client secret': `${part({ alg: 'HS256', kid })}.${body}.${createHash('sha256').update('sandbox-secret').digest('base64url')}`,
        'another kid': `${part({ alg: 'RS256', kid: 'other' })}.${body}.${mark}`,
        'changed claims': `${head}.${part({ ...claims, email: 'victim@example.com' })}.${mark}`,
        'another audience': await idToken({ email, client_id: 'somebody-elses-app' }),
        over: await idToken({ email, seconds: -120 }),
        'a token of ours': own,
      };
      for (const [name, token] of Object.entries(tokens)) {
        const { error } = await server.visitor().auth.signInWithIdToken({ provider: 'google', token });
        expect(error, name).toMatchObject({ status: 400, message: 'Bad ID token' });
      }
      expect(
        (await server.visitor().auth.signInWithIdToken({ provider: 'facebook', token: good })).error,
      ).toMatchObject({
        status: 400,
        code: 'provider_disabled',
      });
      expect((await server.visitor().auth.signInWithIdToken({ provider: 'google', token: good })).error).toBeNull();
    });
  });

  test('settings list the enabled providers; others are refused in the words of the protocol', async () => {
    expect((await server.request('GET', '/settings')).body['external']).toMatchObject({
      google: true,
      github: true,
      apple: true,
      acme: true,
    });
    for (const provider of ['facebook', '', '__proto__', 'constructor'])
      expect(await server.request('GET', `/authorize?provider=${provider}`)).toMatchObject({
        status: 400,
        body: { code: 'validation_failed', message: 'Unsupported provider: provider is not enabled' },
      });
  });

  test('unlinking the email identity moves the account to the verified address of the remaining one', async () => {
    const email = someone();
    const client = await server.member(email);
    const { data } = await client.auth.linkIdentity({ provider: 'google', options: { skipBrowserRedirect: true } });
    const walk = walker();
    const other = someone();
    await walk.go(await consent(walk, data?.url ?? '', { email: other }));
    const mail = (await client.auth.getUserIdentities()).data?.identities.find(
      (identity) => identity.provider === 'email',
    );
    if (!mail) throw new Error('an identity is missing');
    expect((await client.auth.unlinkIdentity(mail)).error).toBeNull();
    expect((await client.auth.getUser()).data.user?.email).toBe(other);
  });

  test('a provider that is down gives an error, and sign-in works again afterwards', async () => {
    const email = someone();
    const walk = walker();
    const start = await walk.go(authorizeUrl({}));
    const back = await consent(walk, start.location ?? '', { email });
    await server.sandbox('/api/faults', { provider: 'oidc', kind: 'status', status: 503 });
    expect(query((await walk.go(back)).location).get('error')).toBe('server_error');
    const landed = await walkImplicit({ email });
    expect(fragment(landed.location).get('access_token')).toBeTruthy();
  });
});

test.each(oneEngine)(
  'with sign-up switched off new people are refused and existing ones sign in (PostgreSQL: %s)',
  async (postgres) => {
    const server = await startAuthTestServer({ postgres, env: { AUTH_PROVIDERS: 'google', AUTH_SIGNUP: 'false' } });
    await server.app.db.query(
      `insert into auth.users (email, email_confirmed_at, created_at) values ('known@example.com', now(), now())`,
    );
    const walk = createWalker('10.3.9.9');
    for (const [email, opened] of [
      ['new@example.com', false],
      ['known@example.com', true],
    ] as const) {
      const start = await walk.go(`${server.url}/auth/v1/authorize?provider=google`);
      const back = await walk.go(start.location ?? '', {
        method: 'POST',
        form: { email, name: 'Lee', verified: 'yes' },
      });
      const landed = await walk.go(back.location ?? '');
      expect(fragment(landed.location).has('access_token')).toBe(opened);
      if (!opened) expect(query(landed.location).get('error_code')).toBe('signup_disabled');
    }
    await server.close();
  },
  60_000,
);
