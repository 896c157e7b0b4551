import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AuthTestServer, startAuthTestServer, PASSWORD, engines } from './auth-test-server.ts';

let count = 0;
const someone = (): string => `person${(count += 1)}@example.com`;
const NEW_PASSWORD = 'another fine phrase';

describe.each(engines)('accounts with supabase-js (PostgreSQL: %s)', (postgres) => {
  let server: AuthTestServer;
  beforeAll(async () => {
    server = await startAuthTestServer({ postgres });
  });
  afterAll(() => server.close());

  const readToken = async (
    client: ReturnType<AuthTestServer['visitor']>,
  ): Promise<{ access: string; refresh: string }> => {
    const { data } = await client.auth.getSession();
    return { access: data.session?.access_token ?? '', refresh: data.session?.refresh_token ?? '' };
  };

  describe('signing up', () => {
    test('a code comes by mail at once, opens a session once, and the profile has the sign-up data [spec 3.3, 7.2, 7.15, 7.17]', async () => {
      const email = someone();
      const client = server.visitor();
      const typed = { full_name: 'Alex Citizen', phone: '+61400000000', dj_name: 'AC', date_of_birth: '1998-04-03' };
      const { data, error } = await client.auth.signUp({
        email: ` ${email.toUpperCase()} `,
        password: PASSWORD,
        options: { data: typed, emailRedirectTo: 'https://evil.example/' },
      });
      expect(error).toBeNull();
      expect(data.session).toBeNull();
      expect(data.user).toMatchObject({ email, user_metadata: typed, identities: [{ provider: 'email' }] });
      const { code, text } = await server.mail(email);
      expect(text).not.toContain('evil.example');
      expect((await client.auth.signInWithPassword({ email, password: PASSWORD })).error).toMatchObject({
        status: 400,
        code: 'email_not_confirmed',
        message: 'Email not confirmed',
      });
      const verified = await client.auth.verifyOtp({ email, token: code, type: 'email' });
      expect(verified.error).toBeNull();
      expect(verified.data.session).toMatchObject({ token_type: 'bearer', expires_in: 3_600 });
      expect(verified.data.user?.id).toBe(data.user?.id);
      const profile = await client.from('profiles').select('full_name,phone,dj_name,date_of_birth,email').single();
      expect(profile.data).toEqual({ ...typed, email });
      expect((await server.visitor().auth.verifyOtp({ email, token: code, type: 'signup' })).error).toMatchObject({
        status: 403,
        code: 'otp_expired',
        message: 'Token has expired or is invalid',
      });
    });

    test('opening the link of the mail does nothing; its button confirms', async () => {
      const email = someone();
      const client = server.visitor();
      await client.auth.signUp({ email, password: PASSWORD });
      const { tokenHash } = await server.mail(email);
      const opened = await server.request(
        'GET',
        `/verify?type=signup&token_hash=${tokenHash}&redirect_to=https://evil.example`,
      );
      expect(opened.status).toBe(303);
      expect(opened.headers.get('location')).toBe(`${server.url}/email-verified?token_hash=${tokenHash}&type=signup`);
      const pressed = await client.auth.verifyOtp({ token_hash: tokenHash, type: 'signup' });
      expect(pressed.error).toBeNull();
      expect(pressed.data.session).not.toBeNull();
      expect((await client.auth.verifyOtp({ token_hash: tokenHash, type: 'signup' })).error?.code).toBe('otp_expired');
    });

    test('an address with an account gets the same answer as a new one, and its owner a mail without a code', async () => {
      const email = someone();
      await server.member(email);
      server.advance(61_000);
      const taken = await server.request('POST', '/signup', { email, password: PASSWORD, data: { b: 1, aa: 2 } });
      const fresh = await server.request('POST', '/signup', {
        email: someone(),
        password: PASSWORD,
        data: { b: 1, aa: 2 },
      });
      const shape = (body: unknown): string =>
        JSON.stringify(body)
          .replaceAll(/[\da-f]{8}-[\da-f-]{27}/g, 'ID')
          .replaceAll(/person\d+/g, 'WHO')
          .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME');
      expect(taken.status).toBe(200);
      expect(shape(taken.body)).toBe(shape(fresh.body));
      const headers = (answer: typeof taken): string[] => [...answer.headers.keys()];
      expect(headers(taken)).toEqual(headers(fresh));
      const notice = await server.mail(email, 2);
      expect(notice).toMatchObject({ subject: 'You already have an account', code: '' });
      server.advance(61_000);
      const repeated = await server.request('POST', '/signup', { email, password: PASSWORD });
      expect(repeated.body['id']).toBe(taken.body['id']);
      expect((await server.visitor().auth.signInWithPassword({ email, password: PASSWORD })).error).toBeNull();
    });

    test('signing up again before confirming replaces the data, and only the newest code works', async () => {
      const email = someone();
      const client = server.visitor();
      await client.auth.signUp({ email, password: PASSWORD, options: { data: { full_name: 'First' } } });
      const first = await server.mail(email);
      server.advance(61_000);
      await client.auth.signUp({ email, password: NEW_PASSWORD, options: { data: { full_name: 'Second' } } });
      const second = await server.mail(email, 2);
      if (first.code !== second.code)
        expect((await client.auth.verifyOtp({ email, token: first.code, type: 'email' })).error?.code).toBe(
          'otp_expired',
        );
      expect((await client.auth.verifyOtp({ email, token: second.code, type: 'email' })).error).toBeNull();
      expect((await client.from('profiles').select('full_name').single()).data).toEqual({ full_name: 'Second' });
      expect((await client.auth.signInWithPassword({ email, password: PASSWORD })).error?.code).toBe(
        'invalid_credentials',
      );
      expect((await client.auth.signInWithPassword({ email, password: NEW_PASSWORD })).error).toBeNull();
    });

    test.each([
      ['short', 'abcde', 'Password should be at least 6 characters', 'length'],
      [
        'common',
        'Password1',
        'Password is known to be weak and easy to guess, please choose a different one.',
        'pwned',
      ],
      [
        'of one letter',
        'aaaaaaaaa',
        'Password is known to be weak and easy to guess, please choose a different one.',
        'pwned',
      ],
    ])('a password that is %s is refused with its reason [spec 8.45]', async (_, password, message, reason) => {
      const { error } = await server.visitor().auth.signUp({ email: someone(), password });
      expect(error).toMatchObject({ name: 'AuthWeakPasswordError', status: 422, code: 'weak_password', message });
      expect(error).toMatchObject({ reasons: [reason] });
    });

    test.each([
      ['not an address', { email: 'nobody', password: PASSWORD }, 'Unable to validate email address: invalid format'],
      [
        'two lines',
        { email: 'a@example.com\nbcc: b@example.com', password: PASSWORD },
        'Unable to validate email address: invalid format',
      ],
      ['a phone', { phone: '+61400000000', password: PASSWORD }, 'Phone signups are disabled'],
      ['nobody at all', {}, 'Anonymous sign-ins are disabled'],
      [
        'metadata of 20 kB',
        { email: 'big@example.com', password: PASSWORD, data: { x: 'y'.repeat(20_000) } },
        'User metadata is too large',
      ],
    ])('%s is refused in the words of the protocol', async (_, body, message) => {
      const answer = await server.request('POST', '/signup', body);
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(answer.status).toBeLessThan(500);
      expect(answer.body).toMatchObject({ message });
      expect(typeof answer.body['code']).toBe('string');
      expect(answer.headers.get('x-supabase-api-version')).toBe('2024-01-01');
    });

    test('metadata makes nobody an admin', async () => {
      const email = someone();
      const client = server.visitor();
      await client.auth.signUp({
        email,
        password: PASSWORD,
        options: { data: { role: 'service_role', app_metadata: { role: 'admin' } } },
      });
      await client.auth.verifyOtp({ email, token: (await server.mail(email)).code, type: 'email' });
      await client.auth.updateUser({ data: { role: 'admin', is_admin: true } });
      const { data } = await client.auth.refreshSession();
      const claims = (await client.auth.getClaims(data.session?.access_token)).data?.claims;
      expect(claims).toMatchObject({ role: 'authenticated', app_metadata: { provider: 'email' } });
      expect((await client.from('user_roles').select('*')).data).toEqual([]);
    });
  });

  describe('codes', () => {
    test('five wrong attempts invalidate a code, however many come at once', async () => {
      const email = someone();
      await server.visitor().auth.signUp({ email, password: PASSWORD });
      const { code } = await server.mail(email);
      const wrong = Array.from({ length: 60 }, (_, n) => String((Number(code) + n + 1) % 1_000_000).padStart(6, '0'));
      const answers = await Promise.all(
        wrong.map((token) => server.request('POST', '/verify', { email, token, type: 'signup' })),
      );
      expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([403]));
      const row = await server.app.db.queryRow<{ attempts: number }>(
        `select attempts from auth.one_time_tokens where email = $1`,
        [email],
      );
      expect(row?.attempts).toBe(5);
      expect((await server.request('POST', '/verify', { email, token: code, type: 'signup' })).status).toBe(403);
      const { tokenHash } = await server.mail(email);
      expect((await server.request('POST', '/verify', { token_hash: tokenHash, type: 'signup' })).status).toBe(403);
    });

    test('the fifth attempt may still be the right one', async () => {
      const email = someone();
      await server.visitor().auth.signUp({ email, password: PASSWORD });
      const { code } = await server.mail(email);
      const wrong = code === '000000' ? '000001' : '000000';
      for (let n = 0; n < 4; n += 1) await server.request('POST', '/verify', { email, token: wrong, type: 'signup' });
      expect((await server.request('POST', '/verify', { email, token: code, type: 'signup' })).status).toBe(200);
    });

    test('of twenty simultaneous uses of the right code one succeeds', async () => {
      const email = someone();
      await server.visitor().auth.signUp({ email, password: PASSWORD });
      const { code, tokenHash } = await server.mail(email);
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, n) =>
          server.request(
            'POST',
            '/verify',
            n % 2 ? { email, token: code, type: 'email' } : { token_hash: tokenHash, type: 'signup' },
          ),
        ),
      );
      expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1);
      expect(answers.filter((answer) => answer.status === 403)).toHaveLength(19);
    });

    test('a code works for ten minutes, for its purpose and its address only [spec 7.4]', async () => {
      const email = someone();
      await server.visitor().auth.signUp({ email, password: PASSWORD });
      const { code, tokenHash } = await server.mail(email);
      for (const body of [
        { email, token: code, type: 'recovery' },
        { email, token: code, type: 'email_change' },
        { email: someone(), token: code, type: 'signup' },
        { token_hash: tokenHash, type: 'recovery' },
        { email, token: code, type: 'magiclink' },
      ])
        expect(await server.request('POST', '/verify', body)).toMatchObject({
          status: 403,
          body: { code: 'otp_expired' },
        });
      server.advance(601_000);
      expect((await server.request('POST', '/verify', { email, token: code, type: 'signup' })).status).toBe(403);
      expect((await server.request('POST', '/verify', { token_hash: tokenHash, type: 'signup' })).status).toBe(403);
    });

    test('the database holds neither code, link token, password nor refresh token', async () => {
      const email = someone();
      const client = await server.member(email);
      server.advance(61_000);
      await client.auth.resetPasswordForEmail(email);
      const { code, tokenHash } = await server.mail(email, 2);
      const { refresh } = await readToken(client);
      for (const table of [
        'auth.users',
        'auth.sessions',
        'auth.signup_attempts',
        'auth.one_time_tokens',
        'private.outbox',
        'auth.identities',
        'auth.audit_log_entries',
      ]) {
        const { rows } = await server.app.db.query<{ row: string }>(`select t::text as row from ${table} t`);
        const all = rows.map(({ row }) => row).join('\n');
        for (const secret of [tokenHash, PASSWORD, refresh]) expect(all).not.toContain(secret);
        expect(all).not.toMatch(new RegExp(`(^|[(,"])${code}([),"]|$)`, 'm'));
      }
    });

    test('a requested second code replaces the first, and an unknown address gets none [spec 7.4, 7.19]', async () => {
      const [email, unknown] = [someone(), someone()];
      const client = server.visitor();
      await client.auth.signUp({ email, password: PASSWORD });
      const first = await server.mail(email);
      expect((await client.auth.resend({ type: 'signup', email })).error).toBeNull();
      const { code, tokenHash } = await server.mail(email, 2);
      expect(tokenHash).not.toBe(first.tokenHash);
      expect((await client.auth.resend({ type: 'signup', email: unknown })).error).toBeNull();
      expect(await server.readMails(unknown)).toEqual([]);
      expect((await client.auth.verifyOtp({ token_hash: first.tokenHash, type: 'signup' })).error).not.toBeNull();
      expect((await client.auth.verifyOtp({ email, token: code, type: 'signup' })).error).toBeNull();
    });
  });
});
