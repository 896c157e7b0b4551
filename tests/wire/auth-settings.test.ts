import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHash } from 'node:crypto';
import type { SupabaseClient } from '@supabase/supabase-js';
import { exportJWK, generateKeyPair } from 'jose';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { readConfig } from '#server/config.ts';
import { type AuthWorld, openAuthWorld, PASSWORD } from './auth-world.ts';

// Several houses are built one after the other.
vi.setConfig({ testTimeout: 180_000 });

let count = 0;
const someone = (): string => `setting${(count += 1)}@example.com`;

/** A world of its own for settings that others cannot share. */
async function within(env: Record<string, string>, work: (world: AuthWorld) => Promise<void>): Promise<void> {
  const world = await openAuthWorld({ env });
  try {
    await work(world);
  } finally {
    await world.close();
  }
}
const headers = async (client: SupabaseClient): Promise<Record<string, string>> => ({
  authorization: `Bearer ${(await client.auth.getSession()).data.session?.access_token}`,
});

test('with sign-up off nobody new comes in by any way, and the answers say so or nothing', async () => {
  await within({ AUTH_SIGNUP: 'false', AUTH_ANONYMOUS: 'true' }, async (world) => {
    const client = world.visitor();
    const email = someone();
    expect((await client.auth.signUp({ email, password: PASSWORD })).error).toMatchObject({
      status: 422,
      code: 'signup_disabled',
      message: 'Signups not allowed for this instance',
    });
    expect((await client.auth.signInAnonymously()).error?.code).toBe('anonymous_provider_disabled');
    expect((await client.auth.signInWithOtp({ email })).error).toBeNull();
    expect(await world.house.db.one('select 1 from auth.users where email = $1', [email])).toBeNull();
    const known = someone();
    await world.service().auth.admin.createUser({ email: known, email_confirm: true });
    await client.auth.signInWithOtp({ email: known });
    const { code } = await world.letter(known);
    expect((await client.auth.verifyOtp({ email: known, token: code, type: 'email' })).error).toBeNull();
    expect((await world.ask('GET', '/settings')).body).toMatchObject({ disable_signup: true });
  });
});

describe('rules for passwords and codes', () => {
  let world: AuthWorld;
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'breached-'));
    const hash = createHash('sha1').update('Tr0ub4dor and three').digest('hex').toUpperCase();
    await writeFile(join(folder, 'list'), `Plainly Breached 1\r\n${hash}:42\n`);
    world = await openAuthWorld({
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
    await world.close();
    await rm(folder, { recursive: true });
  });

  test.each([
    ['Short1a', 'length'],
    ['all lower letters 1', 'characters'],
    ['NoDigitsAtAllHere', 'characters'],
    ['Plainly Breached 1', 'pwned'],
    ['Tr0ub4dor and three', 'pwned'],
  ])('%s is refused for its %s', async (password, reason) => {
    const { error } = await world.visitor().auth.signUp({ email: someone(), password });
    expect(error).toMatchObject({ name: 'AuthWeakPasswordError', status: 422, reasons: [reason] });
  });

  test('a code has the digits asked for, and the life', async () => {
    const email = someone();
    await world.visitor().auth.signUp({ email, password: 'Right Phrase 1' });
    const { text } = await world.letter(email);
    const code = /^Code: (\d{8})\s*$/m.exec(text)?.[1] ?? '';
    expect(code).not.toBe('');
    world.advance(121_000);
    expect((await world.visitor().auth.verifyOtp({ email, token: code, type: 'email' })).error?.code).toBe(
      'otp_expired',
    );
  });

  test('a phone that needs no code is in at once, and taken is told', async () => {
    const sign = { phone: '+61400111222', password: 'Right Phrase 1' };
    expect((await world.visitor().auth.signUp(sign)).data.session).not.toBeNull();
    expect((await world.visitor().auth.signUp(sign)).error?.code).toBe('user_already_exists');
    expect((await world.visitor().auth.signInWithPassword(sign)).error).toBeNull();
  });
});

describe('the life of sessions', () => {
  test('ends after its time, and after lying idle, at every door', async () => {
    await within({ AUTH_SESSION_SECONDS: '7200', AUTH_INACTIVITY_SECONDS: '3000' }, async (world) => {
      const client = await world.member(someone());
      for (let n = 0; n < 2; n += 1) {
        world.advance(2_900_000);
        expect((await client.auth.refreshSession()).error).toBeNull();
      }
      world.advance(1_600_000);
      const bearer = await headers(client);
      expect((await world.ask('GET', '/user', undefined, bearer)).status).toBe(403);
      expect((await client.auth.refreshSession()).error).toMatchObject({ status: 400, code: 'session_expired' });
      const idle = await world.member(someone());
      const idleBearer = await headers(idle);
      world.advance(3_100_000);
      expect((await world.ask('GET', '/user', undefined, idleBearer)).status).toBe(403);
      expect((await idle.auth.refreshSession()).error?.code).toBe('session_expired');
    });
  });

  test('one to a person: the newer ends the older', async () => {
    await within({ AUTH_SINGLE_SESSION: 'true' }, async (world) => {
      const email = someone();
      const first = await headers(await world.member(email));
      expect((await world.ask('GET', '/user', undefined, first)).status).toBe(200);
      const second = world.visitor();
      await second.auth.signInWithPassword({ email, password: PASSWORD });
      expect((await world.ask('GET', '/user', undefined, first)).status).toBe(403);
      expect((await world.ask('GET', '/user', undefined, await headers(second))).status).toBe(200);
    });
  });
});

describe('a captcha', () => {
  test.each([
    ['turnstile', 'a secret of ours', 'pass-1', 'pass-'],
    ['hcaptcha', '0x0000000000000000000000000000000000000000', '10000000-aaaa-bbbb-cccc-000000000001', ''],
  ])('of %s is asked of strangers, and its answer is checked', async (provider, secret, good, once) => {
    await within({ AUTH_CAPTCHA: provider, AUTH_CAPTCHA_SECRET: secret }, async (world) => {
      const client = world.visitor();
      const email = someone();
      const signUp = (captchaToken?: string) =>
        client.auth.signUp({ email, password: PASSWORD, options: captchaToken === undefined ? {} : { captchaToken } });
      expect((await signUp()).error).toMatchObject({ status: 400, code: 'captcha_failed' });
      expect((await signUp('made up')).error).toMatchObject({ status: 400, code: 'captcha_failed' });
      expect(await world.house.db.one('select 1 from auth.users where email = $1', [email])).toBeNull();
      expect((await signUp(good)).error).toBeNull();
      const { code } = await world.letter(email);
      expect((await client.auth.verifyOtp({ email, token: code, type: 'email' })).error).toBeNull();
      expect((await client.auth.refreshSession()).error).toBeNull();
      expect((await client.auth.signInWithPassword({ email, password: PASSWORD })).error?.code).toBe('captcha_failed');
      const again = { email, password: PASSWORD, options: { captchaToken: good } };
      expect((await client.auth.signInWithPassword(again)).error?.code ?? 'fine').toBe(
        once ? 'captcha_failed' : 'fine',
      );
      for (const path of ['/otp', '/recover', '/resend'])
        expect((await world.ask('POST', path, { email, type: 'signup' })).body['code'], path).toBe('captcha_failed');
      await world.sandbox('/api/faults', { provider: 'twilio', kind: 'refuse' });
      expect((await signUp('pass-2')).error?.status).toBe(503);
    });
  });
});

test('keys out of a file sign and turn: the new one signs, the old one is still good, a removed one is not', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'signing-'));
  const file = join(folder, 'keys.json');
  const make = async (alg: string, kid: string) => ({
    ...(await exportJWK((await generateKeyPair(alg, { extractable: true })).privateKey)),
    alg,
    kid,
  });
  const [old, fresh] = [await make('ES256', 'old'), await make('RS256', 'fresh')];
  const env = { AUTH_SIGNING_KEYS_FILE: file, DATA_DIR: join(folder, 'data') };
  let token = '';
  await writeFile(file, JSON.stringify({ keys: [old] }));
  await within(env, async (world) => {
    const client = await world.member(someone());
    expect((await client.auth.getClaims()).data?.header).toMatchObject({ alg: 'ES256', kid: 'old' });
    token = (await client.auth.getSession()).data.session?.access_token ?? '';
  });
  await writeFile(file, JSON.stringify({ keys: [fresh, old] }));
  await within(env, async (world) => {
    const client = await world.member(someone());
    expect((await client.auth.getClaims()).data?.header).toMatchObject({ alg: 'RS256', kid: 'fresh' });
    const shown = (await world.ask('GET', '/.well-known/jwks.json')).body['keys'];
    expect(shown).toMatchObject([
      { kid: 'fresh', kty: 'RSA' },
      { kid: 'old', kty: 'EC' },
    ]);
    expect(JSON.stringify(shown)).not.toMatch(/"(d|p|q|dp|dq|qi)":/);
    expect(await world.house.keys.verify(token, world.now())).not.toBeNull();
  });
  await writeFile(file, JSON.stringify({ keys: [fresh] }));
  await within(env, async (world) => {
    expect(await world.house.keys.verify(token, world.now())).toBeNull();
  });
  await rm(folder, { recursive: true });
});

test.each([
  [{ AUTH_CODE_LENGTH: '4' }, 'AUTH_CODE_LENGTH'],
  [{ AUTH_CAPTCHA: 'turnstile' }, 'AUTH_CAPTCHA_SECRET'],
  [{ AUTH_TEST_OTP: 'nonsense' }, 'AUTH_TEST_OTP'],
  [{ AUTH_PHONE: 'true', SANDBOX: 'off' }, 'TWILIO_AUTH_TOKEN'],
  [{ NODE_ENV: 'production', AUTH_AUTOCONFIRM: 'true' }, 'AUTH_AUTOCONFIRM: must be off in production'],
  [{ NODE_ENV: 'production', AUTH_TEST_OTP: '61400000000=123456' }, 'AUTH_TEST_OTP: must be unset in production'],
])('%j stops the start', (env, fault) => {
  expect(() => readConfig(env)).toThrow(fault);
});
