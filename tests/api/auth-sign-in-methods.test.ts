import type { SupabaseClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AuthTestServer, startAuthTestServer, PASSWORD, engines } from './auth-test-server.ts';

let count = 0;
const someone = (): string => `methods${(count += 1)}@example.com`;
const somePhone = (): string => `+6140000${String((count += 1)).padStart(4, '0')}`;
const NEW_PASSWORD = 'another fine phrase';
const TEST_PHONE = '+61491570156';

/** Returns the status and code of a refused function call. */
async function readFailure(call: Promise<{ error: unknown }>): Promise<unknown> {
  const { context } = (await call).error as { context: Response };
  const { error: fields } = (await context.json()) as { error: object };
  return { ...fields, status: context.status };
}

describe.each(engines)('sign-in methods with supabase-js (PostgreSQL: %s)', (postgres) => {
  let server: AuthTestServer;
  beforeAll(async () => {
    server = await startAuthTestServer({
      postgres,
      env: {
        AUTH_PHONE: 'true',
        AUTH_ANONYMOUS: 'true',
        AUTH_DOUBLE_CONFIRM: 'true',
        AUTH_TEST_OTP: `${TEST_PHONE}=424242`,
      },
    });
  });
  afterAll(() => server.close());
  const readClaims = async (client: SupabaseClient): Promise<Record<string, unknown>> => ({
    ...(await client.auth.getClaims()).data?.claims,
  });

  describe('by phone', () => {
    test('a text message with a code confirms it, and the password works from then on [spec 7.2]', async () => {
      const phone = somePhone();
      const client = server.visitor();
      const { data, error } = await client.auth.signUp({
        phone,
        password: PASSWORD,
        options: { data: { dj_name: 'P' } },
      });
      expect(error).toBeNull();
      expect(data.session).toBeNull();
      expect(data.user).toMatchObject({ phone: phone.slice(1), email: '', identities: [{ provider: 'phone' }] });
      expect((await client.auth.signInWithPassword({ phone, password: PASSWORD })).error).toMatchObject({
        status: 400,
        code: 'phone_not_confirmed',
        message: 'Phone not confirmed',
      });
      const token = await server.textCode(phone);
      expect((await client.auth.verifyOtp({ phone, token, type: 'phone_change' })).error?.code).toBe('otp_expired');
      const verified = await client.auth.verifyOtp({ phone, token, type: 'sms' });
      expect(verified.error).toBeNull();
      expect(verified.data.user).toMatchObject({ phone: phone.slice(1), app_metadata: { provider: 'phone' } });
      expect(verified.data.user?.phone_confirmed_at).toBeTruthy();
      expect(await readClaims(client)).toMatchObject({ phone: phone.slice(1), email: '' });
      expect((await server.visitor().auth.signInWithPassword({ phone, password: PASSWORD })).error).toBeNull();
      expect((await server.visitor().auth.signInWithPassword({ phone, password: NEW_PASSWORD })).error?.code).toBe(
        'invalid_credentials',
      );
    });

    test('a taken phone gets the same answer and no message', async () => {
      const phone = somePhone();
      await server.visitor().auth.signUp({ phone, password: PASSWORD });
      await server.visitor().auth.verifyOtp({ phone, token: await server.textCode(phone), type: 'sms' });
      server.advance(61_000);
      const repeated = await server.visitor().auth.signUp({ phone, password: NEW_PASSWORD });
      expect(repeated.error).toBeNull();
      expect(repeated.data.user).toMatchObject({ phone: phone.slice(1), identities: [{ provider: 'phone' }] });
      expect((await server.visitor().auth.signInWithPassword({ phone, password: PASSWORD })).error).toBeNull();
    });

    test('without a password: a code on request, again on request, only the newest works', async () => {
      const phone = somePhone();
      const client = server.visitor();
      const sent = await client.auth.signInWithOtp({ phone });
      expect(sent.error).toBeNull();
      expect(sent.data.messageId).toBeTruthy();
      const first = await server.textCode(phone);
      expect((await client.auth.resend({ type: 'sms', phone })).error).toBeNull();
      const second = await server.textCode(phone, 2);
      if (first !== second)
        expect((await client.auth.verifyOtp({ phone, token: first, type: 'sms' })).error?.code).toBe('otp_expired');
      expect((await client.auth.verifyOtp({ phone, token: second, type: 'sms' })).data.session).not.toBeNull();
    });

    test('a test phone has its code without a message', async () => {
      const client = server.visitor();
      await client.auth.signInWithOtp({ phone: TEST_PHONE });
      await server.app.flushMail();
      await expect
        .poll(async () => (await client.auth.verifyOtp({ phone: TEST_PHONE, token: '424242', type: 'sms' })).error)
        .toBeNull();
      expect(await server.sandbox(`/api/texts?to=${encodeURIComponent(TEST_PHONE)}`)).toEqual([]);
    });

    test('a new phone counts after its code is entered', async () => {
      const [email, phone] = [someone(), somePhone()];
      const client = await server.member(email);
      expect((await client.auth.updateUser({ phone })).data.user).toMatchObject({ new_phone: phone.slice(1) });
      const token = await server.textCode(phone);
      const changed = await client.auth.verifyOtp({ phone, token, type: 'phone_change' });
      expect(changed.error).toBeNull();
      expect(changed.data.user).toMatchObject({ email, phone: phone.slice(1) });
      expect(changed.data.user?.identities?.map((identity) => identity.provider).toSorted()).toEqual([
        'email',
        'phone',
      ]);
      expect((await server.visitor().auth.signInWithPassword({ phone, password: PASSWORD })).error).toBeNull();
    });

    test('a number is removed with its sign-in, its codes, its queued messages and its text reminders; an older session needs a proof [spec 10.20]', async () => {
      const [email, phone, next] = [someone(), somePhone(), somePhone()];
      const client = await server.member(email);
      const remove = (body = {}) => client.functions.invoke<{ removed: boolean }>('remove-phone', { body });
      await client.auth.updateUser({ phone });
      await client.auth.verifyOtp({ phone, token: await server.textCode(phone), type: 'phone_change' });
      server.advance(601_000);
      expect(await readFailure(remove())).toMatchObject({ status: 403, code: 'current_password_required' });
      expect(await readFailure(remove({ currentPassword: NEW_PASSWORD }))).toMatchObject({
        code: 'current_password_invalid',
      });
      await client.auth.updateUser({ phone: next, current_password: PASSWORD });
      const waiting = await server.textCode(next);
      const account = (await client.auth.getUser()).data.user?.id;
      await server.app.db.query(
        `insert into private.outbox (kind, subject_id, dedupe, recipient, due_at)
         select 'account-text-tried', $1::uuid, n, n, '2099-01-01' from unnest($2::text[]) n`,
        [account, [phone.slice(1), next.slice(1), '61499999999']],
      );
      expect((await remove({ currentPassword: PASSWORD })).data).toEqual({ removed: true });
      const queued = await server.app.db.query(
        `select recipient from private.outbox where kind = 'account-text-tried' and subject_id = $1::uuid`,
        [account],
      );
      expect(queued.rows).toEqual([{ recipient: '61499999999' }]);
      expect((await remove({ currentPassword: PASSWORD })).data).toEqual({ removed: false });
      expect((await client.auth.verifyOtp({ phone: next, token: waiting, type: 'phone_change' })).error).not.toBeNull();
      const { user } = (await client.auth.getUser()).data;
      expect(user).toMatchObject({ email, phone: '', app_metadata: { provider: 'email', providers: ['email'] } });
      expect(user?.identities?.map((identity) => identity.provider)).toEqual(['email']);
      expect((await client.from('profiles').select('remind_by_text').single()).data).toEqual({ remind_by_text: false });
      expect((await server.visitor().auth.signInWithPassword({ phone, password: PASSWORD })).error).not.toBeNull();
      const logged = await server.app.db.query(
        `select action, details from public.audit_logs where resource_type = 'phone' and actor = $1::uuid`,
        [user?.id],
      );
      expect(logged.rows).toEqual([
        {
          action: 'remove',
          details: {
            before: { confirmed: true, textReminders: true },
            after: { confirmed: false, textReminders: false },
          },
        },
      ]);
    });

    test('the only way to sign in is not removed [spec 10.20]', async () => {
      const phone = somePhone();
      const client = server.visitor();
      await client.auth.signInWithOtp({ phone });
      await client.auth.verifyOtp({ phone, token: await server.textCode(phone), type: 'sms' });
      const removed = client.functions.invoke('remove-phone', { body: {} });
      expect(await readFailure(removed)).toMatchObject({ status: 403, code: 'mail_unconfirmed' });
      expect((await client.auth.getUser()).data.user?.phone).toBe(phone.slice(1));
    });

    test.each(['0400 000 000', '+61', 'nobody', '+1234567890123456'])('%s is not a phone number', async (phone) => {
      const no = { code: 'validation_failed', message: 'Invalid phone number format (E.164 required)' };
      for (const [path, body] of [
        ['/signup', { phone, password: PASSWORD }],
        ['/otp', { phone }],
        ['/verify', { phone, token: '123456', type: 'sms' }],
        ['/token?grant_type=password', { phone, password: PASSWORD }],
      ] as const)
        expect(await server.request('POST', path, body), path).toMatchObject({ status: 400, body: no });
    });
  });

  describe('by a code or a link without a password', () => {
    test('an account signs in by code, and by the link behind its button [spec 7.4]', async () => {
      const email = someone();
      await server.member(email);
      const client = server.visitor();
      expect(
        (await client.auth.signInWithOtp({ email, options: { emailRedirectTo: 'https://evil.example' } })).error,
      ).toBeNull();
      const mail = await server.mail(email, 2);
      expect(mail.subject).toContain('is your sign-in code');
      expect(mail.text).not.toContain('evil.example');
      const opened = await server.request('GET', `/verify?type=magiclink&token=${mail.tokenHash}`);
      expect(opened.headers.get('location')).toContain(`token_hash=${mail.tokenHash}&type=magiclink`);
      expect((await client.auth.verifyOtp({ token_hash: mail.tokenHash, type: 'magiclink' })).error).toBeNull();
      expect((await client.auth.verifyOtp({ token_hash: mail.tokenHash, type: 'magiclink' })).error?.code).toBe(
        'otp_expired',
      );
      await client.auth.signInWithOtp({ email });
      const { code } = await server.mail(email, 3);
      const signed = await client.auth.verifyOtp({ email, token: code, type: 'email' });
      expect(signed.error).toBeNull();
      expect(await readClaims(client)).toMatchObject({ amr: [{ method: 'otp' }] });
    });

    test('a new address gets an account that waits for its code, with its metadata', async () => {
      const email = someone();
      const client = server.visitor();
      await client.auth.signInWithOtp({ email, options: { data: { dj_name: 'New' } } });
      const { code } = await server.mail(email);
      const { data, error } = await client.auth.verifyOtp({ email, token: code, type: 'email' });
      expect(error).toBeNull();
      expect(data.user?.user_metadata).toEqual({ dj_name: 'New' });
    });

    test('create_user false creates no account, and the answer does not reveal that', async () => {
      const [existing, unknown] = [someone(), someone()];
      await server.member(existing);
      const call = (email: string) => server.request('POST', '/otp', { email, create_user: false });
      const [first, two] = [await call(existing), await call(unknown)];
      expect([first.status, first.body]).toEqual([two.status, two.body]);
      expect([...first.headers.keys()]).toEqual([...two.headers.keys()]);
      await server.mail(existing, 2);
      expect(await server.readMails(unknown)).toEqual([]);
      expect(await server.app.db.queryRow('select 1 from auth.users where email = $1', [unknown])).toBeNull();
    });
  });

  describe('anonymously', () => {
    test('an anonymous visitor has a session, keeps it after adding an address, and is then a full account', async () => {
      const client = server.visitor();
      const { data, error } = await client.auth.signInAnonymously({ options: { data: { dj_name: 'Ghost' } } });
      expect(error).toBeNull();
      expect(data.user).toMatchObject({ is_anonymous: true, email: '', user_metadata: { dj_name: 'Ghost' } });
      expect(await readClaims(client)).toMatchObject({
        is_anonymous: true,
        role: 'authenticated',
        amr: [{ method: 'anonymous' }],
      });
      expect((await client.auth.reauthenticate()).error).toMatchObject({
        message: 'Reauthentication requires the user to have an email or a phone number',
      });
      expect((await client.auth.updateUser({ password: PASSWORD })).error?.status).toBe(422);
      const email = someone();
      expect((await client.auth.updateUser({ email })).error).toBeNull();
      const { code } = await server.mail(email);
      const linked = await client.auth.verifyOtp({ email, token: code, type: 'email_change' });
      expect(linked.error).toBeNull();
      expect(linked.data.user).toMatchObject({ id: data.user?.id, email, is_anonymous: false });
      expect(linked.data.user?.app_metadata).toMatchObject({ provider: 'email', providers: ['email'] });
      expect((await client.auth.updateUser({ password: PASSWORD })).error).toBeNull();
      expect((await server.visitor().auth.signInWithPassword({ email, password: PASSWORD })).error).toBeNull();
    });
  });

  describe('a code that confirms a change', () => {
    test('replaces the current password, once, and not when it is wrong [spec 7.5]', async () => {
      const email = someone();
      const client = await server.member(email);
      server.advance(601_000);
      expect((await client.auth.updateUser({ password: NEW_PASSWORD })).error?.code).toBe('current_password_required');
      expect((await client.auth.reauthenticate()).error).toBeNull();
      const { code } = await server.mail(email, 2);
      const wrong = code === '000000' ? '000001' : '000000';
      expect((await client.auth.updateUser({ password: NEW_PASSWORD, nonce: wrong })).error).toMatchObject({
        status: 422,
        code: 'reauthentication_not_valid',
      });
      expect((await client.auth.updateUser({ password: NEW_PASSWORD, nonce: code })).error).toBeNull();
      expect((await client.auth.updateUser({ password: PASSWORD, nonce: code })).error?.code).toBe(
        'reauthentication_not_valid',
      );
      expect((await server.visitor().auth.signInWithPassword({ email, password: NEW_PASSWORD })).error).toBeNull();
    });
  });

  describe('a new address that both addresses must confirm', () => {
    test.each([['new first'], ['current first']])('counts after both have confirmed (%s)', async (order) => {
      const [email, changed] = [someone(), someone()];
      const client = await server.member(email);
      await client.auth.updateUser({ email: changed });
      const atNew = await server.mail(changed);
      const atCurrent = await server.mail(email, 2);
      expect(atCurrent.text).toContain(changed);
      const steps = [
        { email: changed, token: atNew.code },
        { email, token: atCurrent.code },
      ];
      if (order === 'current first') steps.reverse();
      const [first, second] = steps;
      if (!first || !second) throw new Error('two steps');
      const half = await client.auth.verifyOtp({ ...first, type: 'email_change' });
      expect(half.error).toBeNull();
      expect(half.data).toMatchObject({ user: null, session: null });
      expect((await client.auth.getUser()).data.user?.email).toBe(email);
      const done = await client.auth.verifyOtp({ ...second, type: 'email_change' });
      expect(done.error).toBeNull();
      expect(done.data.user?.email).toBe(changed);
    });

    test('does not count when the new one confirms twice', async () => {
      const [email, changed] = [someone(), someone()];
      const client = await server.member(email);
      await client.auth.updateUser({ email: changed });
      const { code } = await server.mail(changed);
      await client.auth.verifyOtp({ email: changed, token: code, type: 'email_change' });
      await client.auth.resend({ type: 'email_change', email: changed });
      const resent = await server.mail(changed, 2);
      const twice = await client.auth.verifyOtp({ email: changed, token: resent.code, type: 'email_change' });
      expect(twice.data.session).toBeNull();
      expect((await client.auth.getUser()).data.user?.email).toBe(email);
    });
  });

  describe('an address that somebody else signed up with first', () => {
    const signUp = (email: string, password: string, ip: string) =>
      server.visitor(ip).auth.signUp({ email, password, options: { data: { full_name: password } } });

    test('gets no password of theirs, whoever signed up last', async () => {
      for (const [first, last] of [
        ['10.9.0.1', '10.9.0.2'],
        ['10.9.0.2', '10.9.0.1'],
      ] as const) {
        const email = someone();
        await signUp(email, first === '10.9.0.1' ? 'the phrase of a thief' : PASSWORD, first);
        await server.mail(email);
        server.advance(61_000);
        await signUp(email, last === '10.9.0.1' ? 'the phrase of a thief' : PASSWORD, last);
        const { code } = await server.mail(email, 2);
        const owner = server.visitor('10.9.0.2');
        expect((await owner.auth.verifyOtp({ email, token: code, type: 'email' })).error).toBeNull();
        const thief = await server.visitor().auth.signInWithPassword({ email, password: 'the phrase of a thief' });
        expect(thief.error?.code).toBe('invalid_credentials');
        expect((await owner.auth.updateUser({ password: NEW_PASSWORD })).error).toBeNull();
      }
    });

    test('loses their password when its owner signs in with a recovery link', async () => {
      const email = someone();
      await signUp(email, 'the phrase of a thief', '10.9.0.1');
      await server.mail(email);
      const owner = server.visitor('10.9.0.2');
      await owner.auth.resetPasswordForEmail(email);
      const { tokenHash } = await server.mail(email, 2);
      expect((await owner.auth.verifyOtp({ token_hash: tokenHash, type: 'recovery' })).error).toBeNull();
      const thief = await server.visitor().auth.signInWithPassword({ email, password: 'the phrase of a thief' });
      expect(thief.error?.code).toBe('invalid_credentials');
    });
  });

  test('a person lists their sessions and ends one of them, not those of others', async () => {
    const email = someone();
    const here = await server.member(email);
    const there = server.visitor();
    await there.auth.signInWithPassword({ email, password: PASSWORD });
    const call = async (client: SupabaseClient, method: string, path: string) => {
      const { session } = (await client.auth.getSession()).data;
      return server.request(method, path, undefined, { authorization: `Bearer ${session?.access_token}` });
    };
    const listed = (await call(here, 'GET', '/user/sessions')).body['sessions'];
    const sessions: { id: string; current: boolean }[] = Array.isArray(listed) ? listed : [];
    expect(sessions.filter((session) => session.current)).toHaveLength(1);
    expect(sessions).toHaveLength(2);
    const other = sessions.find((session) => !session.current)?.id ?? '';
    const otherUser = await server.member(someone());
    expect((await call(otherUser, 'DELETE', `/user/sessions/${other}`)).status).toBe(404);
    expect((await call(there, 'GET', '/user')).status).toBe(200);
    expect((await call(here, 'DELETE', `/user/sessions/${other}`)).status).toBe(200);
    expect((await call(there, 'GET', '/user')).status).toBe(403);
    expect((await call(here, 'GET', '/user')).status).toBe(200);
    expect((await call(here, 'DELETE', '/user/sessions/nonsense')).status).toBe(404);
  });

  test('the audit log has an entry for each of these events', async () => {
    const email = someone();
    await server.member(email);
    await server.request('POST', '/verify', { email, token: '000000', type: 'recovery' });
    await server.request('POST', '/recover', { email });
    await server.request('POST', '/token?grant_type=password', { email, password: 'a wrong phrase' });
    const { rows } = await server.app.db.query<{ action: string }>(
      `select distinct payload ->> 'action' as action from auth.audit_log_entries`,
    );
    expect(rows.map((row) => row.action)).toEqual(
      expect.arrayContaining([
        'login',
        'login_failed',
        'otp_failed',
        'session_ended',
        'user_confirmation_requested',
        'user_confirmed',
        'user_email_change_requested',
        'user_email_changed',
        'user_otp_requested',
        'user_phone_change_requested',
        'user_phone_changed',
        'user_reauthenticate_requested',
        'user_recovery_requested',
        'user_signedup',
        'user_updated_password',
      ]),
    );
  });
});
