import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHash, randomUUID } from 'node:crypto';
import type { SupabaseClient } from '@supabase/supabase-js';
import { exportJWK, generateKeyPair } from 'jose';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { readConfig } from '#server/config.ts';
import { onlyPostgres } from '#tests/support/engines.ts';
import { until } from '#tests/support/test-server.ts';
import { type AuthTestServer, startAuthTestServer, PASSWORD, engines, oneEngine } from './auth-test-server.ts';

// The tests start several servers one after the other.
vi.setConfig({ testTimeout: 180_000 });

let count = 0;
const someone = (): string => `setting${(count += 1)}@example.com`;

/**
 * Locks the row of an account, so that sign-ins wait for it. Returns a function that releases it once `waiting` of them wait. The embedded
 * database has a single connection, so they run one after the other there in any case.
 */
async function holdAccount(
  { app: { db } }: AuthTestServer,
  email: string,
): Promise<(waiting: number) => Promise<void>> {
  if (db.kind === 'pglite') return async () => {};
  const [held, letGo] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const holding = db.transaction(async (tx) => {
    await tx.query('select from auth.users where email = $1 for update', [email]);
    held.resolve();
    await letGo.promise;
  });
  await held.promise;
  // Sign-ins that wait for the rate limiter have not yet reached the row, so they do not count.
  const stand = `select count(*)::int as n from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and query not like '%take_limit%'`;
  return async (waiting) => {
    await until(async () => (await db.queryRow<{ n: number }>(stand))?.n === waiting);
    letGo.resolve();
    await holding;
  };
}

describe.each(oneEngine)('settings of the operator (PostgreSQL: %s)', (postgres) => {
  /** Runs `work` with a separate server, for settings that other tests cannot share. */
  async function within(env: Record<string, string>, work: (server: AuthTestServer) => Promise<void>): Promise<void> {
    const server = await startAuthTestServer({ postgres, env });
    try {
      await work(server);
    } finally {
      await server.close();
    }
  }

  test('with sign-up off no call creates an account, and the answers are an error or reveal nothing', async () => {
    await within({ AUTH_SIGNUP: 'false', AUTH_ANONYMOUS: 'true' }, async (server) => {
      const client = server.visitor();
      const email = someone();
      expect((await client.auth.signUp({ email, password: PASSWORD })).error).toMatchObject({
        status: 422,
        code: 'signup_disabled',
        message: 'Signups not allowed for this instance',
      });
      expect((await client.auth.signInAnonymously()).error?.code).toBe('anonymous_provider_disabled');
      expect((await client.auth.signInWithOtp({ email })).error).toBeNull();
      expect(await server.app.db.queryRow('select 1 from auth.users where email = $1', [email])).toBeNull();
      const existing = someone();
      await server.service().auth.admin.createUser({ email: existing, email_confirm: true });
      await client.auth.signInWithOtp({ email: existing });
      const { code } = await server.mail(existing);
      expect((await client.auth.verifyOtp({ email: existing, token: code, type: 'email' })).error).toBeNull();
      expect((await server.request('GET', '/settings')).body).toMatchObject({ disable_signup: true });
    });
  });

  describe('rules for passwords and codes', () => {
    let server: AuthTestServer;
    let folder = '';
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'breached-'));
      const hash = createHash('sha1').update('Tr0ub4dor and three').digest('hex').toUpperCase();
      await writeFile(join(folder, 'list'), `Plainly Breached 1\r\n${hash}:42\n`);
      server = await startAuthTestServer({
        postgres,
        env: {
          AUTH_PASSWORD_MIN_LENGTH: '10',
          AUTH_PASSWORD_REQUIRED: 'lower_upper_letters_digits',
          AUTH_BREACHED_FILE: join(folder, 'list'),
          AUTH_CODE_LENGTH: '8',
          AUTH_CODE_SECONDS: '120',
          AUTH_PHONE: 'true',
          AUTH_PHONE_AUTOCONFIRM: 'true',
        },
      });
    });
    afterAll(async () => {
      await server.close();
      await rm(folder, { recursive: true });
    });

    test.each([
      ['Short1a', 'length'],
      ['all lower letters 1', 'characters'],
      ['NoDigitsAtAllHere', 'characters'],
      ['Plainly Breached 1', 'pwned'],
      ['Tr0ub4dor and three', 'pwned'],
    ])('%s is refused for its %s', async (password, reason) => {
      const { error } = await server.visitor().auth.signUp({ email: someone(), password });
      expect(error).toMatchObject({ name: 'AuthWeakPasswordError', status: 422, reasons: [reason] });
    });

    test('a code has the configured number of digits and lifetime', async () => {
      const email = someone();
      await server.visitor().auth.signUp({ email, password: 'Right Phrase 1' });
      const { text } = await server.mail(email);
      const code = /^Code: (\d{8})\s*$/m.exec(text)?.[1] ?? '';
      expect(code).not.toBe('');
      server.advance(121_000);
      expect((await server.visitor().auth.verifyOtp({ email, token: code, type: 'email' })).error?.code).toBe(
        'otp_expired',
      );
    });

    test('a phone that needs no code is signed in at once, and a taken one gets an error', async () => {
      const sign = { phone: '+61400111222', password: 'Right Phrase 1' };
      expect((await server.visitor().auth.signUp(sign)).data.session).not.toBeNull();
      expect((await server.visitor().auth.signUp(sign)).error?.code).toBe('user_already_exists');
      expect((await server.visitor().auth.signInWithPassword(sign)).error).toBeNull();
    });
  });

  describe('a captcha', () => {
    test.each([
      ['turnstile', 'a secret of ours', 'pass-1', 'pass-'],
      ['hcaptcha', '0x0000000000000000000000000000000000000000', '10000000-aaaa-bbbb-cccc-000000000001', ''],
    ])('of %s is required without a session, and its token is checked', async (provider, secret, good, once) => {
      await within({ AUTH_CAPTCHA: provider, AUTH_CAPTCHA_SECRET: secret }, async (server) => {
        const client = server.visitor();
        const email = someone();
        const signUp = (captchaToken?: string) =>
          client.auth.signUp({
            email,
            password: PASSWORD,
            options: captchaToken === undefined ? {} : { captchaToken },
          });
        expect((await signUp()).error).toMatchObject({ status: 400, code: 'captcha_failed' });
        expect((await signUp('made up')).error).toMatchObject({ status: 400, code: 'captcha_failed' });
        expect(await server.app.db.queryRow('select 1 from auth.users where email = $1', [email])).toBeNull();
        expect((await signUp(good)).error).toBeNull();
        const { code } = await server.mail(email);
        expect((await client.auth.verifyOtp({ email, token: code, type: 'email' })).error).toBeNull();
        expect((await client.auth.refreshSession()).error).toBeNull();
        expect((await client.auth.signInWithPassword({ email, password: PASSWORD })).error?.code).toBe(
          'captcha_failed',
        );
        const credentials = { email, password: PASSWORD, options: { captchaToken: good } };
        expect((await client.auth.signInWithPassword(credentials)).error?.code ?? 'fine').toBe(
          once ? 'captcha_failed' : 'fine',
        );
        for (const path of ['/otp', '/recover', '/resend'])
          expect((await server.request('POST', path, { email, type: 'signup' })).body['code'], path).toBe(
            'captcha_failed',
          );
        await server.sandbox('/api/faults', { provider: 'twilio', kind: 'refuse' });
        expect((await signUp('pass-2')).error?.status).toBe(503);
      });
    });
  });

  test('signing keys from a file rotate: the new one signs, the old one still verifies, a removed one does not', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'signing-'));
    const file = join(folder, 'keys.json');
    // The client caches a host's keys by key id, so each key needs a new id.
    const make = async (alg: string) => ({
      ...(await exportJWK((await generateKeyPair(alg, { extractable: true })).privateKey)),
      alg,
      kid: randomUUID(),
    });
    const [old, fresh] = [await make('ES256'), await make('RS256')];
    const env = { AUTH_SIGNING_KEYS_FILE: file, DATA_DIR: join(folder, 'data') };
    let token = '';
    await writeFile(file, JSON.stringify({ keys: [old] }));
    await within(env, async (server) => {
      const client = await server.member(someone());
      expect((await client.auth.getClaims()).data?.header).toMatchObject({ alg: 'ES256', kid: old.kid });
      token = (await client.auth.getSession()).data.session?.access_token ?? '';
    });
    await writeFile(file, JSON.stringify({ keys: [fresh, old] }));
    await within(env, async (server) => {
      const client = await server.member(someone());
      expect((await client.auth.getClaims()).data?.header).toMatchObject({ alg: 'RS256', kid: fresh.kid });
      const published = (await server.request('GET', '/.well-known/jwks.json')).body['keys'];
      expect(published).toMatchObject([
        { kid: fresh.kid, kty: 'RSA' },
        { kid: old.kid, kty: 'EC' },
      ]);
      expect(JSON.stringify(published)).not.toMatch(/"(d|p|q|dp|dq|qi)":/);
      expect(await server.app.keys.verify(token, server.now())).not.toBeNull();
    });
    await writeFile(file, JSON.stringify({ keys: [fresh] }));
    await within(env, async (server) => {
      expect(await server.app.keys.verify(token, server.now())).toBeNull();
    });
    await rm(folder, { recursive: true });
  });

  test('with autoconfirm a sign-up returns a session, and a taken address "User already registered" [spec 8.1]', async () => {
    await within({ AUTH_AUTOCONFIRM: 'true' }, async (server) => {
      const client = server.visitor();
      const { data, error } = await client.auth.signUp({ email: 'quick@example.com', password: PASSWORD });
      expect(error).toBeNull();
      expect(data.session?.user.email).toBe('quick@example.com');
      expect(
        (await server.visitor().auth.signUp({ email: 'quick@example.com', password: PASSWORD })).error,
      ).toMatchObject({
        status: 422,
        code: 'user_already_exists',
        message: 'User already registered',
      });
    });
  });
});

const headers = async (client: SupabaseClient): Promise<Record<string, string>> => ({
  authorization: `Bearer ${(await client.auth.getSession()).data.session?.access_token}`,
});

describe.each(engines)('the lifetime of sessions (PostgreSQL: %s)', (postgres) => {
  let server: AuthTestServer;
  beforeAll(async () => {
    server = await startAuthTestServer({
      postgres,
      env: { AUTH_SESSION_SECONDS: '7200', AUTH_INACTIVITY_SECONDS: '3000', AUTH_SINGLE_SESSION: 'true' },
    });
  });
  afterAll(() => server.close());
  const fetchStatus = async (bearer: Record<string, string>): Promise<number> =>
    (await server.request('GET', '/user', undefined, bearer)).status;

  test('ends after its time, and when it is idle too long, on every API', async () => {
    const client = await server.member(someone());
    for (let n = 0; n < 2; n += 1) {
      server.advance(2_900_000);
      expect((await client.auth.refreshSession()).error).toBeNull();
    }
    server.advance(1_600_000);
    expect(await fetchStatus(await headers(client))).toBe(403);
    expect((await client.auth.refreshSession()).error).toMatchObject({ status: 400, code: 'session_expired' });
    const idle = await server.member(someone());
    const idleBearer = await headers(idle);
    server.advance(3_100_000);
    expect(await fetchStatus(idleBearer)).toBe(403);
    expect((await idle.auth.refreshSession()).error?.code).toBe('session_expired');
  });

  test('one per person: a new one ends the older, a failed sign-in ends none', async () => {
    const email = someone();
    const first = await server.member(email);
    const older = await headers(first);
    const somebodyElse = await headers(await server.member(someone()));
    const second = server.visitor();
    expect((await second.auth.signInWithPassword({ email, password: 'a wrong phrase' })).error).not.toBeNull();
    expect(await fetchStatus(older)).toBe(200);
    expect((await second.auth.signInWithPassword({ email, password: PASSWORD })).error).toBeNull();
    expect(await fetchStatus(older)).toBe(403);
    expect((await first.auth.refreshSession()).error?.code).toBe('refresh_token_not_found');
    expect(await fetchStatus(await headers(second))).toBe(200);
    expect(await fetchStatus(somebodyElse)).toBe(200);
  });

  test('one per person, however many sign in at the same moment', async () => {
    const email = someone();
    await server.member(email);
    const release = await holdAccount(server, email);
    const signIns = Array.from({ length: 4 }, () =>
      server.request('POST', '/token?grant_type=password', { email, password: PASSWORD }),
    );
    await release(signIns.length);
    const answers = await Promise.all(signIns);
    expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200, 200]);
    const alive = await Promise.all(
      answers.map((answer) => fetchStatus({ authorization: `Bearer ${String(answer.body['access_token'])}` })),
    );
    expect(alive.filter((status) => status === 200)).toHaveLength(1);
  });
});

test.skipIf(onlyPostgres).each([
  [{ AUTH_CODE_LENGTH: '4' }, 'AUTH_CODE_LENGTH'],
  [{ AUTH_CAPTCHA: 'turnstile' }, 'AUTH_CAPTCHA_SECRET'],
  [{ AUTH_TEST_OTP: 'nonsense' }, 'AUTH_TEST_OTP'],
  [{ AUTH_PHONE: 'true', SANDBOX: 'off' }, 'TWILIO_AUTH_TOKEN'],
  [{ NODE_ENV: 'production', AUTH_AUTOCONFIRM: 'true' }, 'AUTH_AUTOCONFIRM: must be off in production'],
  [{ NODE_ENV: 'production', AUTH_TEST_OTP: '61400000000=123456' }, 'AUTH_TEST_OTP: must be unset in production'],
])('%j stops the start', (env, fault) => {
  expect(() => readConfig(env)).toThrow(fault);
});
