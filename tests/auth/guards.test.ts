import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AuthApp, createSsoProvider, openAuthApp, PASSWORD, textIn } from './auth-app.ts';
import { expectRefusal } from './expect-refusal.ts';

/** The checks that every call passes, and the API's description of itself. */
let app: AuthApp;
beforeAll(async () => {
  app = await openAuthApp();
});
afterAll(() => app.close());

test('the settings tell which ways to sign in there are', async () => {
  const all = {
    external: { email: true, phone: true, anonymous_users: true, google: true },
    disable_signup: false,
    mailer_autoconfirm: false,
    phone_autoconfirm: false,
    sms_provider: 'twilio',
    mfa_enabled: true,
    passkeys_enabled: true,
    saml_enabled: false,
  };
  expect((await app.request('GET', '/settings')).body).toEqual(all);
  const other = app.server({
    config: {
      phoneEnabled: false,
      anonymousEnabled: false,
      signupEnabled: false,
      autoconfirm: true,
      phoneAutoconfirm: true,
      factors: { totp: false, phone: false, webauthn: false, max: 10, challengeSeconds: 300 },
      passkeys: { enabled: false, max: 10 },
    },
    dependencies: { providers: new Map(), ssoProviders: [createSsoProvider('work.example', [])] },
  });
  expect((await other.request('GET', '/settings')).body).toEqual({
    external: { email: true, phone: false, anonymous_users: false },
    disable_signup: true,
    mailer_autoconfirm: true,
    phone_autoconfirm: true,
    sms_provider: '',
    mfa_enabled: false,
    passkeys_enabled: false,
    saml_enabled: true,
  });
});

test('health and public keys are there for anybody, and the keys may be cached', async () => {
  expect((await app.request('GET', '/health')).body).toEqual({
    name: 'auth',
    version: '1',
    description: 'Accounts and sessions',
  });
  const { body, headers } = await app.request('GET', '/.well-known/jwks.json');
  expect(body).toEqual(app.keys.jwks());
  expect(headers.get('cache-control')).toBe('public, max-age=600');
});

test('each answer has the version of the API and is not stored, refusals too', async () => {
  for (const path of ['/health', '/nothing', '/user']) {
    const { headers } = await app.request('GET', path);
    expect([headers.get('x-supabase-api-version'), headers.get('cache-control')]).toEqual(['2024-01-01', 'no-store']);
  }
});

test('a body that is not JSON is refused, except for the forms of identity providers', async () => {
  const send = (path: string, type: string, method = 'POST') =>
    app.request(method, path, 'a=b', { headers: { 'content-type': type, 'content-length': '3' } });
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'])
    for (const path of ['/signup', '/logout', '/callback/more', '/nothing'])
      expect(await send(path, type), `${path} ${type}`).toMatchObject({
        status: 415,
        body: { code: 'unsupported_media_type', message: 'Send JSON, with content-type: application/json' },
      });
  for (const path of ['/callback', '/callback/', '/sso/saml/acs'])
    expect((await send(path, 'application/x-www-form-urlencoded')).status, path).not.toBe(415);
});

test('JSON of a thousand members or 32 levels is read, and more is refused', async () => {
  const members = (count: number) => ({ data: Array.from({ length: count }, () => 1) });
  const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)]);
  const statuses = async (body: unknown) => [
    (await app.request('POST', '/resend', body)).body['message'],
    (await app.request('POST', '/nothing', body)).status,
  ];
  const READ = 'type: Invalid input: expected string, received undefined';
  expect(await statuses(members(990))).toEqual([READ, 404]);
  expect(await statuses(members(1_001))).toEqual(['The JSON has more than 1000 members', 400]);
  expect(await statuses({ a: nested(31) })).toEqual([READ, 404]);
  expect(await statuses({ a: nested(33) })).toEqual(['The JSON is nested deeper than 32 levels', 400]);
});

describe('a captcha', () => {
  const checked: [string, string][] = [];
  const captcha = {
    check: (token: string, ip: string) => {
      checked.push([token, ip]);
      return token === 'down' ? Promise.reject(new Error('down')) : Promise.resolve(token === 'good');
    },
  };
  const guarded = () => app.server({ dependencies: { captcha } });
  const withToken = (captcha_token: unknown) => ({ gotrue_meta_security: { captcha_token } });
  const FAILED = 'captcha protection: request disallowed';

  test.each([
    '/signup',
    '/token?grant_type=password',
    '/token?grant_type=id_token',
    '/otp',
    '/magiclink',
    '/recover',
    '/resend',
    '/sso',
    '/passkeys/authentication/options',
  ])('is needed by %s', async (path) => {
    const call = `POST ${path}`;
    const missing = [400, 'captcha_failed', `${FAILED} (no captcha_token found)`] as const;
    for (const body of ['{', [], {}, withToken('x'.repeat(4_097))])
      await expectRefusal(guarded(), [call, body, ...missing]);
    await expectRefusal(guarded(), [
      call,
      withToken('bad'),
      400,
      'captcha_failed',
      `${FAILED} (invalid-input-response)`,
    ]);
    await expectRefusal(guarded(), [
      call,
      withToken('down'),
      503,
      'captcha_failed',
      'captcha verification process failed',
    ]);
    const { body } = await guarded().request('POST', path, withToken('good'));
    expect(body['code']).not.toBe('captcha_failed');
  });

  test('is not needed by the service key, after an earlier proof, and by other calls', async () => {
    const { refresh, token } = await app.member();
    const server = guarded();
    const code = async (method: string, path: string, body: unknown, caller?: string) =>
      (await server.request(method, path, body, caller === undefined ? {} : { token: caller })).body['code'];
    checked.length = 0;
    expect(await code('POST', '/otp', { email: 'captcha1@example.com' }, app.keys.serviceRoleKey)).toBeUndefined();
    expect(await code('POST', '/token?grant_type=refresh_token', { refresh_token: refresh })).toBeUndefined();
    expect(await code('POST', '/token?grant_type=pkce', { auth_code: 'x', code_verifier: 'x' })).toBe(
      'flow_state_not_found',
    );
    expect(await code('POST', '/verify', { type: 'email', token_hash: 'x' })).toBe('otp_expired');
    expect(await code('POST', '/otp', { email: 'captcha2@example.com' }, token)).toBe('captcha_failed');
    expect(await code('POST', '/otp', { email: 'captcha2@example.com' }, 'malformed')).toBe('captcha_failed');
    expect(checked).toEqual([]);
    await server.request(
      'POST',
      '/otp',
      { email: 'captcha3@example.com', ...withToken('x'.repeat(4_096)) },
      { ip: '10.7.0.1' },
    );
    expect(checked).toEqual([['x'.repeat(4_096), '10.7.0.1']]);
  });
});

describe('limits', () => {
  test('messages to one address: one of a kind a minute, five an hour in all, and the wait is told', async () => {
    const strict = app.server({ limitFactor: 1, config: { mailIntervalSeconds: 60 } });
    const email = 'limits@example.com';
    const send = (path: string) => strict.request('POST', path, { email });
    expect((await send('/otp')).status).toBe(200);
    const soon = await send('/otp');
    expect(soon).toMatchObject({ status: 429, body: { code: 'over_email_send_rate_limit' } });
    const wait = Number(soon.headers.get('retry-after'));
    expect(wait).toBeGreaterThan(50);
    expect(wait).toBeLessThanOrEqual(60);
    expect(soon.body['message']).toBe(`For security purposes, you can only request this after ${wait} seconds.`);
    expect((await send('/recover')).status).toBe(200);
    const statuses: number[] = [];
    for (let n = 0; n < 4; n += 1) {
      app.advance(61_000);
      statuses.push((await send('/otp')).status);
    }
    expect(statuses).toEqual([200, 200, 200, 429]);
    const phone = '+61491570120';
    expect((await strict.request('POST', '/otp', { phone })).status).toBe(200);
    expect((await strict.request('POST', '/otp', { phone })).body).toMatchObject({ code: 'over_sms_send_rate_limit' });
  });

  test.each([
    ['sign-ups', 20, '/signup', (n: number) => ({ email: `many${n}@example.com`, password: PASSWORD })],
    ['anonymous accounts', 30, '/signup', () => ({})],
    ['codes', 60, '/verify', () => ({ type: 'recovery', token_hash: 'x' })],
    ['exchanges', 60, '/token?grant_type=pkce', () => ({ auth_code: 'x', code_verifier: 'x' })],
    ['undos', 60, '/email-undo', () => ({ token_hash: 'x' })],
    ['sign-ins by passkey', 120, '/passkeys/authentication/options', () => ({})],
    ['wallets', 120, '/token?grant_type=web3', () => ({ chain: 'x' })],
  ])('%s: %i from one address, and others have their own', async (name, max, path, body) => {
    const strict = app.server({ limitFactor: 1 });
    const call = (n: number, ip: string) => strict.request('POST', path, body(n), { ip });
    const ip = `198.51.100.${max} ${name}`;
    for (let n = 0; n < max; n += 1) expect((await call(n, ip)).status).not.toBe(429);
    // The bucket refills by a few calls while the test runs.
    let refused = null;
    for (let n = max; n < max + 20 && refused === null; n += 1) {
      const answer = await call(n, ip);
      if (answer.status === 429) refused = answer;
    }
    expect(refused?.body).toMatchObject({ code: 'over_request_rate_limit', message: 'Request rate limit reached' });
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await call(max + 20, `${ip} other`)).status).not.toBe(429);
  });
});

test('an anonymous person who confirms an address is anonymous no longer', async () => {
  const { body } = await app.request('POST', '/signup', {});
  const token = textIn(body, 'access_token');
  const email = 'known-by-now@example.com';
  expect((await app.request('PUT', '/user', { email, data: { a: 1 } }, { token })).status).toBe(200);
  const { code } = await app.mailTo(email);
  expect((await app.request('POST', '/verify', { type: 'email_change', email, token: code })).body).toMatchObject({
    user: {
      email,
      is_anonymous: false,
      app_metadata: { provider: 'email', providers: ['email'] },
      user_metadata: { a: 1 },
    },
  });
});
