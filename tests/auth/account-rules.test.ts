import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { importUsers } from '#server/auth/import/import-users.ts';
import { type Answer, type AuthApp, newProviderUser, openAuthApp, PASSWORD, SITE, textIn } from './auth-app.ts';
import { expectRefusal, INVALID } from './expect-refusal.ts';

let app: AuthApp;
let count = 0;
beforeAll(async () => {
  app = await openAuthApp();
});
afterAll(() => app.close());
const address = (): string => `rules${(count += 1)}@example.com`;
const phone = (): string => `+6149157${3000 + (count += 1)}`;
const service = (method: string, path: string, body?: unknown): Promise<Answer> =>
  app.request(method, path, body, { token: app.keys.serviceRoleKey });
const user = (token: string): Promise<Answer> => app.request('GET', '/user', undefined, { token });
const signInWith = (body: Record<string, unknown>): Promise<Answer> =>
  app.request('POST', '/token?grant_type=password', body);
const google = (more = {}): Promise<Answer> =>
  app.request('POST', '/token?grant_type=id_token', {
    provider: 'google',
    id_token: String(20_000 + (count += 1)),
    ...more,
  });

describe('an account of an identity provider', () => {
  test('has what the provider says, which is read again at each sign-in', async () => {
    const claims = { name: 'Ada L', picture: 'https://example.com/a.png', locale: 'en' };
    app.providerUser = newProviderUser({ claims });
    const first = await google();
    const shown = { ...claims, full_name: 'Ada L', avatar_url: claims.picture };
    const { email, subject } = app.providerUser;
    expect(first.body).toMatchObject({
      user: {
        email,
        email_confirmed_at: expect.any(String),
        user_metadata: shown,
        app_metadata: { provider: 'google', providers: ['google'] },
        identities: [
          {
            provider: 'google',
            id: subject,
            identity_data: {
              ...shown,
              sub: subject,
              provider_id: subject,
              email,
              email_verified: true,
              phone_verified: false,
            },
          },
        ],
      },
    });
    app.providerUser = { ...app.providerUser, claims: { name: 'Ada M' } };
    const second = await google();
    expect(second.body).toMatchObject({
      user: {
        id: textIn(first.body, 'user', 'id'),
        user_metadata: shown,
        identities: [{ identity_data: { full_name: 'Ada M' } }],
      },
    });
    expect(JSON.stringify(second.body['user'])).toContain('"last_sign_in_at"');
  });

  test('needs an address that the provider has verified', async () => {
    app.providerUser = newProviderUser({ email: null });
    await expectRefusal(app, [
      'POST /token?grant_type=id_token',
      { provider: 'google', id_token: '19000' },
      ...INVALID,
      'Error getting user email from external provider',
    ]);
    app.providerUser = newProviderUser({ emailVerified: false });
    await expectRefusal(app, [
      'POST /token?grant_type=id_token',
      { provider: 'google', id_token: '19001' },
      401,
      'provider_email_needs_verification',
      'Unverified email with google. Verify the email with google in order to sign in',
    ]);
  });

  test('is the confirmed one with its address, which keeps its password', async () => {
    const person = await app.member();
    app.providerUser = newProviderUser({ email: person.email });
    expect((await google()).body).toMatchObject({
      user: { id: person.id, app_metadata: { provider: 'email', providers: ['email', 'google'] } },
    });
    await app.signIn(person.email);
    expect((await user(person.token)).status).toBe(200);
  });

  test('is the unconfirmed one with its address, which loses what another person may have planted', async () => {
    const email = address();
    await app.request('POST', '/signup', { email, password: PASSWORD, data: { planted: true } });
    const { code } = await app.mailTo(email);
    app.providerUser = newProviderUser({ email });
    const { body } = await google();
    expect(body).toMatchObject({
      user: {
        email,
        phone: '',
        email_confirmed_at: expect.any(String),
        user_metadata: {},
        app_metadata: { provider: 'google', providers: ['google'] },
        identities: [{ provider: 'google' }],
      },
    });
    expect(Object.keys(Object(Object(body['user']).user_metadata))).toEqual([]);
    expect((await signInWith({ email, password: PASSWORD })).body).toMatchObject({ code: 'invalid_credentials' });
    expect((await app.request('POST', '/verify', { type: 'signup', email, token: code })).status).toBe(403);
  });
});

describe('sessions', () => {
  test('where a person may have one, a sign-in ends the others at once', async () => {
    const single = app.server({ config: { singleSession: true } });
    const person = await app.member();
    const begin = async () =>
      textIn(
        (await single.request('POST', '/token?grant_type=password', { email: person.email, password: PASSWORD })).body,
        'access_token',
      );
    const first = await begin();
    const second = await begin();
    const status = async (token: string) => (await single.request('GET', '/user', undefined, { token })).status;
    expect([await status(person.token), await status(first), await status(second)]).toEqual([403, 403, 200]);
  });

  test('an access token of a session that is too old, or was not used for too long, is refused', async () => {
    for (const config of [{ sessionSeconds: 60 }, { inactivitySeconds: 60 }]) {
      const short = () => app.server({ config });
      const { token } = await app.member();
      expect((await short().request('GET', '/user', undefined, { token })).status).toBe(200);
      app.advance(62_000);
      expect((await short().request('GET', '/user', undefined, { token })).body).toMatchObject({
        code: 'session_not_found',
      });
    }
  });

  test('a banned person cannot refresh, and what is listed of a session is where it began', async () => {
    const person = await app.member();
    const headers = { 'user-agent': 'x'.repeat(400) };
    const { body } = await app.request(
      'POST',
      '/token?grant_type=password',
      { email: person.email, password: PASSWORD },
      { headers, ip: '203.0.113.9' },
    );
    const { sessions } = Object(
      (await app.request('GET', '/user/sessions', undefined, { token: textIn(body, 'access_token') })).body,
    );
    expect(sessions[0]).toEqual({
      id: expect.any(String),
      created_at: expect.any(String),
      refreshed_at: expect.any(String),
      user_agent: 'x'.repeat(300),
      ip: '203.0.113.9',
      aal: 'aal1',
      current: true,
    });
    await app.db.query(`update auth.users set banned_until = 'infinity' where id = $1::uuid`, [person.id]);
    expect(
      await app.request('POST', '/token?grant_type=refresh_token', { refresh_token: body['refresh_token'] }),
    ).toMatchObject({ status: 403, body: { code: 'user_banned', message: 'User is banned' } });
  });

  test('the link of a banned person signs in no more, and is used up', async () => {
    const { id, email } = await app.member();
    await app.request('POST', '/recover', { email });
    const { tokenHash } = await app.mailTo(email);
    const body = { type: 'recovery', token_hash: tokenHash };
    await app.db.query(`update auth.users set banned_until = 'infinity' where id = $1::uuid`, [id]);
    expect(await app.request('POST', '/verify', body)).toMatchObject({ status: 403, body: { code: 'user_banned' } });
    await app.db.query('update auth.users set banned_until = null where id = $1::uuid', [id]);
    expect((await app.request('POST', '/verify', body)).body).toMatchObject({ code: 'otp_expired' });
  });

  test('ten wrong passwords lock an account for others, and not for an address where it is signed in', async () => {
    const strict = app.server({ limitFactor: 1 });
    const { email } = await app.member();
    const attempt = (password: string, ip: string) =>
      strict.request('POST', '/token?grant_type=password', { email, password }, { ip });
    expect((await attempt(PASSWORD, '203.0.113.10')).status).toBe(200);
    for (let n = 0; n < 10; n += 1) expect((await attempt('wrong phrase', `203.0.113.${20 + n}`)).status).toBe(400);
    expect(await attempt(PASSWORD, '203.0.113.40')).toMatchObject({
      status: 429,
      body: { code: 'over_request_rate_limit' },
    });
    expect((await attempt(PASSWORD, '203.0.113.10')).status).toBe(200);
    app.advance(16 * 60_000);
    expect((await attempt(PASSWORD, '203.0.113.40')).status).toBe(200);
  });
});

describe('phones', () => {
  test('a reauthentication code is texted to a person without an address, and may follow only a confirmed one', async () => {
    const number = phone();
    await service('POST', '/admin/users', { phone: number, phone_confirm: true, password: PASSWORD });
    const token = textIn((await signInWith({ phone: number, password: PASSWORD })).body, 'access_token');
    expect((await app.request('GET', '/reauthenticate', undefined, { token })).status).toBe(200);
    const nonce = await app.textTo(number);
    const change = { password: 'another fine phrase', nonce };
    expect((await app.request('PUT', '/user', change, { token })).status).toBe(200);
    await app.db.query('update auth.users set phone_confirmed_at = null where phone = $1', [number.slice(1)]);
    await expectRefusal(
      app,
      ['GET /reauthenticate', undefined, 422, 'phone_not_confirmed', 'Please verify your phone first.'],
      token,
    );
    expect((await signInWith({ phone: number, password: 'another fine phrase' })).status).toBe(400);
  });

  test('a phone with a code of its own gets no text', async () => {
    const number = phone();
    const fixed = app.server({ config: { testCodes: new Map([[number.slice(1), '424242']]) } });
    await fixed.request('POST', '/otp', { phone: number });
    await fixed.queue.flush();
    expect(app.texts.filter(({ to }) => to === number)).toEqual([]);
    expect((await fixed.request('POST', '/verify', { type: 'sms', phone: number, token: '424242' })).status).toBe(200);
  });

  test('the code of a change is sent again to who asked last, and a phone that was taken meanwhile is refused', async () => {
    const [person, other] = [await app.member(), await app.member()];
    const number = phone();
    for (const { token } of [other, person]) {
      app.advance(1_000);
      await app.request('PUT', '/user', { phone: number }, { token });
    }
    await app.queue.flush();
    expect((await app.request('POST', '/resend', { type: 'phone_change', phone: number })).status).toBe(200);
    const token = await app.textTo(number);
    await service('POST', '/admin/users', { phone: number, phone_confirm: true });
    const body = { type: 'phone_change', phone: number, token };
    expect(await app.request('POST', '/verify', body)).toMatchObject({ status: 422, body: { code: 'phone_exists' } });
    await app.db.query('update auth.users set phone = null where phone = $1', [number.slice(1)]);
    expect(await app.request('POST', '/verify', body)).toMatchObject({
      status: 200,
      body: { user: { id: person.id, app_metadata: { providers: ['email', 'phone'] } } },
    });
  });

  test('an address with an unconfirmed account gets a code to prove it first', async () => {
    const { id, token } = await app.member();
    await app.db.query('update auth.users set email_confirmed_at = null where id = $1::uuid', [id]);
    await expectRefusal(
      app,
      ['GET /reauthenticate', undefined, 422, 'email_not_confirmed', 'Please verify your email first.'],
      token,
    );
  });
});

describe('an import', () => {
  const id = (n: number): string => `${String(n).padStart(8, '0')}-1111-4111-8111-111111111111`;
  const HASH = '$2b$06$t8V8PuXQl7HwjGgN10PGv.mDt75QRe1DSj7smSfvbnh8bsjkwRovG';
  test('keeps passwords, phones, data, providers and identities, and refuses what this server cannot keep', async () => {
    const dump = `INSERT INTO auth.users (id, email, phone, encrypted_password, email_confirmed_at, phone_confirmed_at,
      raw_app_meta_data, raw_user_meta_data, created_at, is_anonymous, is_sso_user, role) VALUES
      ('${id(1)}', ' Import1@Example.com ', NULL, '${HASH}', '2024-01-02 03:04:05+00', NULL, NULL, '{"a":1}', '2024-01-01 00:00:00+00', false, 't', ''),
      ('${id(2)}', 'import2@example.com', NULL, '${HASH}', NULL, NULL, '{"providers":["email","google"],"team":"x"}', NULL, NULL, false, false, 'authenticated'),
      ('${id(3)}', NULL, '+61491570180', '', NULL, '2024-01-02 03:04:05+00', '{}', '{}', NULL, 'f', 'f', NULL),
      ('${id(4)}', NULL, NULL, NULL, NULL, NULL, '{}', '{}', NULL, 'true', 'f', NULL),
      ('${id(5)}', 'import5@example.com', NULL, NULL, NULL, NULL, '{}', '{}', NULL, 'f', 'f', 'service_role'),
      ('${id(6)}', 'import6@example.com', NULL, 'md5', NULL, NULL, '{}', '{}', NULL, 'f', 'f', NULL),
      ('${id(7)}', 'import7@example.com', NULL, NULL, NULL, NULL, '[]', '{}', NULL, 'f', 'f', NULL),
      ('${id(8)}', 'import8@example.com', '61491570181', NULL, NULL, NULL, '{}', 'null', NULL, 'f', 'f', NULL),
      ('x', 'import9@example.com', NULL, NULL, NULL, NULL, '{}', '{}', NULL, 'f', 'f', NULL);
INSERT INTO auth.identities (user_id, provider, provider_id, id, identity_data) VALUES
      ('${id(1)}', 'google', 'subject', 'older', '{"sub":"subject"}'),
      ('${id(1)}', 'email', '${id(1)}', NULL, '{}'),
      ('${id(3)}', 'apple', NULL, 'apple id', '{}'),
      ('${id(8)}', 'github', NULL, NULL, NULL),
      ('${id(99)}', 'github', 'nobody', NULL, NULL),
      ('${id(1)}', '', 'x', NULL, '{}');`;
    const done = await importUsers(app.db, dump, app.now());
    expect(done).toEqual({
      users: 5,
      identities: 3,
      skipped: 0,
      refused: [
        `user ${id(5)}: role Invalid option: expected one of "authenticated"|""`,
        `user ${id(6)}: encrypted_password is neither bcrypt nor argon2`,
        `user ${id(7)}: raw_app_meta_data is not a JSON object`,
        'user x: id Invalid UUID',
        expect.stringContaining('identity ?: provider Too small'),
      ],
    });
    const account = async (n: number) => (await service('GET', `/admin/users/${id(n)}`)).body;
    expect(await account(1)).toMatchObject({
      email: 'import1@example.com',
      is_sso_user: true,
      is_anonymous: false,
      user_metadata: { a: 1 },
      app_metadata: { provider: 'google', providers: ['google', 'email'] },
      created_at: '2024-01-01T00:00:00.000Z',
      identities: [{ provider: 'email' }, { provider: 'google', id: 'subject', identity_data: { sub: 'subject' } }],
    });
    expect(await account(2)).toMatchObject({
      app_metadata: { provider: 'email', providers: ['email', 'google'], team: 'x' },
    });
    expect(await account(3)).toMatchObject({ phone: '61491570180', email: '', app_metadata: { providers: ['apple'] } });
    expect(Object.values(Object((await account(3))['identities'])).map((identity) => textIn(identity, 'id'))).toContain(
      'apple id',
    );
    expect(await account(4)).toMatchObject({ is_anonymous: true, email: '', app_metadata: { providers: [] } });
    expect(await account(8)).toMatchObject({ phone: '61491570181', app_metadata: { providers: ['github'] } });
    expect((await signInWith({ email: 'import1@example.com', password: 'correct horse battery' })).status).toBe(200);
    // The password of an unconfirmed account starts to count once its code is entered.
    const email = 'import2@example.com';
    expect((await signInWith({ email, password: 'correct horse battery' })).body).toMatchObject({
      code: 'email_not_confirmed',
    });
    await app.request('POST', '/resend', { type: 'signup', email });
    const { code: token } = await app.mailTo(email);
    expect((await app.request('POST', '/verify', { type: 'signup', email, token })).status).toBe(200);
    expect((await signInWith({ email, password: 'correct horse battery' })).status).toBe(200);
  });
});

test('without a code, a sign-up begins a session at once, by address or by phone', async () => {
  const open = app.server({ config: { autoconfirm: true, phoneAutoconfirm: true } });
  const number = phone();
  const email = address();
  for (const [contact, expected] of [
    [
      { email },
      { email, email_confirmed_at: expect.any(String), app_metadata: { provider: 'email', providers: ['email'] } },
    ],
    [
      { phone: number },
      {
        phone: number.slice(1),
        phone_confirmed_at: expect.any(String),
        app_metadata: { provider: 'phone', providers: ['phone'] },
      },
    ],
  ] as const) {
    const { body } = await open.request('POST', '/signup', { ...contact, password: PASSWORD, data: { a: 1 } });
    expect(body).toMatchObject({
      token_type: 'bearer',
      expires_in: 3600,
      user: { ...expected, user_metadata: { a: 1 } },
    });
    expect((await user(textIn(body, 'access_token'))).status).toBe(200);
    expect((await signInWith({ ...contact, password: PASSWORD })).status).toBe(200);
  }
});

test('an access token has the claims that supabase-js and the row policies read', async () => {
  const { id, email, token } = await app.member();
  expect(JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())).toMatchObject({
    iss: `${SITE}/auth/v1`,
    sub: id,
    aud: 'authenticated',
    role: 'authenticated',
    email,
    phone: '',
    session_id: expect.any(String),
    is_anonymous: false,
    app_metadata: { provider: 'email', providers: ['email'] },
    user_metadata: {},
    jti: expect.any(String),
  });
});
