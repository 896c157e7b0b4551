import type { SupabaseClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AuthTestServer, startAuthTestServer, PASSWORD, engines } from './auth-test-server.ts';

let count = 0;
const someone = (): string => `managed${(count += 1)}@example.com`;
const NEW_PASSWORD = 'another fine phrase';
const BCRYPT = '$2b$10$nOUIs5kJ7naTuTFkBy1veuK0kSxUFXfuaOKdOKf9xYT0KKIGSJwFa';

describe.each(engines)('accounts managed with the service key (PostgreSQL: %s)', (postgres) => {
  let server: AuthTestServer;
  let admin: SupabaseClient['auth']['admin'];
  beforeAll(async () => {
    server = await startAuthTestServer({ postgres, env: { AUTH_PHONE: 'true', AUTH_DOUBLE_CONFIRM: 'true' } });
    admin = server.service().auth.admin;
  });
  afterAll(() => server.close());
  const readAuthorization = async (client: SupabaseClient): Promise<Record<string, string>> => ({
    authorization: `Bearer ${(await client.auth.getSession()).data.session?.access_token}`,
  });
  /** Returns the statuses with which each API answers a session. */
  async function fetchStatuses({
    authorization = '',
  }: Record<string, string>): Promise<Readonly<Record<string, number>>> {
    const headers = { authorization, apikey: server.app.keys.anonKey, 'content-type': 'application/json' };
    const paths = {
      rest: '/rest/v1/profiles?select=id&limit=1',
      storage: '/storage/v1/bucket',
      functions: '/functions/v1/saved-cards',
      auth: '/auth/v1/user',
    };
    const statuses = Object.entries(paths).map(async ([api, path]) => {
      const method = api === 'functions' ? 'POST' : 'GET';
      const response = await fetch(`${server.url}${path}`, {
        method,
        headers,
        ...(method === 'POST' && { body: '{}' }),
      });
      await response.arrayBuffer();
      return [api, response.status] as const;
    });
    return Object.fromEntries(await Promise.all(statuses));
  }
  const REFUSED = { rest: 401, storage: 400, functions: 401, auth: 403 };
  const signIn = (email: string, password: string) => server.visitor().auth.signInWithPassword({ email, password });

  test('the admin calls are refused without the service key, even to a signed-in person', async () => {
    const headers = await readAuthorization(await server.member(someone()));
    for (const [method, path] of [
      ['GET', '/admin/users'],
      ['POST', '/admin/users'],
      ['GET', '/admin/audit'],
      ['POST', '/admin/generate_link'],
      ['POST', '/invite'],
      ['DELETE', '/admin/users/5a000000-0000-4000-8000-00000000000a'],
    ] as const) {
      const body = method === 'POST' ? { email: someone() } : undefined;
      for (const who of [headers, {}])
        expect(await server.request(method, path, body, who)).toMatchObject({
          status: 403,
          body: { code: 'not_admin' },
        });
      const rubbish = { authorization: 'Bearer rubbish' };
      expect(await server.request(method, path, body, rubbish)).toMatchObject({
        status: 403,
        body: { code: 'bad_jwt' },
      });
    }
  });

  test('an account is created at once, and can sign in [spec 7.9]', async () => {
    const email = someone();
    const { data, error } = await admin.createUser({
      email: email.toUpperCase(),
      password: PASSWORD,
      email_confirm: true,
      user_metadata: { full_name: 'Made Up' },
      app_metadata: { plan: 'gold' },
    });
    expect(error).toBeNull();
    expect(data.user).toMatchObject({
      email,
      user_metadata: { full_name: 'Made Up' },
      app_metadata: { plan: 'gold', provider: 'email', providers: ['email'] },
      identities: [{ provider: 'email' }],
    });
    expect((await signIn(email, PASSWORD)).error).toBeNull();
    expect((await admin.createUser({ email, password: PASSWORD })).error).toMatchObject({
      status: 422,
      code: 'email_exists',
    });
    expect(await server.readMails(email)).toEqual([]);
  });

  test('an account with an imported password hash signs in; an unconfirmed one needs its code first', async () => {
    const hashed = someone();
    expect((await admin.createUser({ email: hashed, password_hash: BCRYPT, email_confirm: true })).error).toBeNull();
    const waiting = someone();
    await admin.createUser({ email: waiting, password: PASSWORD });
    expect((await signIn(waiting, PASSWORD)).error?.code).toBe('email_not_confirmed');
    await server.visitor().auth.resend({ type: 'signup', email: waiting });
    const { code } = await server.mail(waiting);
    expect((await server.visitor().auth.verifyOtp({ email: waiting, token: code, type: 'email' })).error).toBeNull();
    expect((await signIn(waiting, PASSWORD)).error).toBeNull();
  });

  test.each([
    [{}, 400, 'validation_failed'],
    [{ email: 'nonsense' }, 400, 'email_address_invalid'],
    [{ phone: 'nonsense' }, 400, 'validation_failed'],
    [{ email: 'a@example.com', password: 'abc' }, 422, 'weak_password'],
    [{ email: 'a@example.com', password_hash: 'plain' }, 400, 'validation_failed'],
    [{ email: 'a@example.com', role: 'service_role' }, 400, 'validation_failed'],
    [{ email: 'a@example.com', ban_duration: 'soon' }, 400, 'validation_failed'],
    [{ email: 'a@example.com', user_metadata: { x: 'y'.repeat(20_000) } }, 400, 'validation_failed'],
  ])('%j is refused', async (body, status, code) => {
    const headers = { authorization: `Bearer ${server.app.keys.serviceRoleKey}` };
    expect(await server.request('POST', '/admin/users', body, headers)).toMatchObject({ status, body: { code } });
    expect(await server.app.db.queryRow(`select 1 from auth.users where email = 'a@example.com'`)).toBeNull();
  });

  test('the list has pages, whose headers the client reads [spec 7.9]', async () => {
    for (let n = 0; n < 3; n += 1) await admin.createUser({ email: someone() });
    const { data, error } = await admin.listUsers({ page: 1, perPage: 2 });
    expect(error).toBeNull();
    expect(data.users).toHaveLength(2);
    expect(data).toMatchObject({ aud: 'authenticated', nextPage: 2 });
    const total = 'total' in data ? data.total : 0;
    const all = await admin.listUsers({ page: 1, perPage: 1000 });
    expect(all.data.users).toHaveLength(total);
    expect(all.data).toMatchObject({ nextPage: null });
    const two = await admin.listUsers({ page: 2, perPage: 2 });
    expect(two.data.users.map((user) => user.id)).toEqual(all.data.users.slice(2, 4).map((user) => user.id));
    expect((await admin.listUsers({ page: -1 })).error).toMatchObject({ status: 400, code: 'validation_failed' });
  });

  test('an account can be read and changed at once; unknown ones answer 404 [spec 7.9]', async () => {
    const [email, changed] = [someone(), someone()];
    const client = await server.member(email);
    const id = (await client.auth.getUser()).data.user?.id ?? '';
    expect((await admin.getUserById(id)).data.user).toMatchObject({ id, email });
    const { data, error } = await admin.updateUserById(id, {
      email: changed,
      password: NEW_PASSWORD,
      user_metadata: { dj_name: 'X' },
      app_metadata: { plan: 'silver' },
    });
    expect(error).toBeNull();
    expect(data.user).toMatchObject({
      email: changed,
      user_metadata: { dj_name: 'X' },
      app_metadata: { plan: 'silver' },
    });
    expect((await server.request('GET', '/user', undefined, await readAuthorization(client))).status).toBe(403);
    expect((await signIn(changed, NEW_PASSWORD)).error).toBeNull();
    const other = someone();
    await server.member(other);
    expect((await admin.updateUserById(id, { email: other })).error).toMatchObject({
      status: 422,
      code: 'email_exists',
    });
    const unknown = '5a000000-0000-4000-8000-0000000000ff';
    expect((await admin.getUserById(unknown)).error).toMatchObject({ status: 404, code: 'user_not_found' });
    expect((await admin.updateUserById(unknown, {})).error).toMatchObject({ status: 404 });
    expect((await admin.deleteUser(unknown)).error).toMatchObject({ status: 404 });
  });

  test('a ban refuses every API, and ends when it is lifted', async () => {
    const email = someone();
    const client = await server.member(email);
    const id = (await client.auth.getUser()).data.user?.id ?? '';
    const headers = await readAuthorization(client);
    expect(await fetchStatuses(headers)).toEqual({ rest: 200, storage: 200, functions: 200, auth: 200 });
    expect((await admin.updateUserById(id, { ban_duration: '24h' })).data.user?.banned_until).toBeTruthy();
    expect(await fetchStatuses(headers)).toEqual(REFUSED);
    expect((await signIn(email, PASSWORD)).error).toMatchObject({ code: 'user_banned' });
    expect((await client.auth.refreshSession()).error).not.toBeNull();
    expect((await admin.updateUserById(id, { ban_duration: 'none' })).error).toBeNull();
    expect((await signIn(email, PASSWORD)).error).toBeNull();
  });

  test.each([[true], [false]])(
    'a deleted account is gone and refused by every API, and its address is free again (softly: %s)',
    async (softly) => {
      const email = someone();
      const client = await server.member(email);
      const id = (await client.auth.getUser()).data.user?.id ?? '';
      const headers = await readAuthorization(client);
      expect((await admin.deleteUser(id, softly)).error).toBeNull();
      expect(await fetchStatuses(headers)).toEqual(REFUSED);
      expect((await signIn(email, PASSWORD)).error?.code).toBe('invalid_credentials');
      expect((await admin.getUserById(id)).error).toMatchObject({ status: 404 });
      const row = await server.app.db.queryRow<{ email: string | null; encrypted_password: string | null }>(
        'select email, encrypted_password from auth.users where id = $1::uuid',
        [id],
      );
      expect(row).toEqual(softly ? { email: null, encrypted_password: null } : null);
      server.advance(61_000);
      await server.visitor().auth.signUp({ email, password: NEW_PASSWORD });
      const { code } = await server.mail(email, 2);
      expect((await server.visitor().auth.verifyOtp({ email, token: code, type: 'email' })).error).toBeNull();
    },
  );

  test('an invitation leads to a password, and a confirmed account cannot be invited [spec 7.9]', async () => {
    const email = someone();
    const { data, error } = await admin.inviteUserByEmail(email, { data: { full_name: 'Guest' } });
    expect(error).toBeNull();
    expect(data.user).toMatchObject({ email, user_metadata: { full_name: 'Guest' } });
    expect(data.user?.invited_at).toBeTruthy();
    const mail = await server.mail(email);
    expect(mail.text).toContain(`${server.url}/auth?reset=true&token_hash=${mail.tokenHash}&type=invite`);
    const guest = server.visitor();
    expect((await guest.auth.verifyOtp({ token_hash: mail.tokenHash, type: 'invite' })).error).toBeNull();
    expect((await guest.auth.updateUser({ password: NEW_PASSWORD })).error).toBeNull();
    expect((await signIn(email, NEW_PASSWORD)).error).toBeNull();
    expect((await admin.inviteUserByEmail(email)).error).toMatchObject({ status: 422, code: 'email_exists' });
  });

  describe('a generated link', () => {
    test('confirms a new account with its password [spec 7.9]', async () => {
      const email = someone();
      const { data, error } = await admin.generateLink({ type: 'signup', email, password: PASSWORD });
      expect(error).toBeNull();
      expect(data.user).toMatchObject({ email });
      expect(data.properties).toMatchObject({ verification_type: 'signup', redirect_to: server.url });
      const link = new URL(data.properties?.action_link ?? '');
      expect(link.searchParams.get('token')).toBe(data.properties?.hashed_token);
      const opened = await server.request('GET', `/verify${link.search}`);
      expect(opened.headers.get('location')).toContain('/email-verified?token_hash=');
      const token = data.properties?.email_otp ?? '';
      expect((await server.visitor().auth.verifyOtp({ email, token, type: 'signup' })).error).toBeNull();
      expect((await signIn(email, PASSWORD)).error).toBeNull();
      expect((await admin.generateLink({ type: 'signup', email, password: PASSWORD })).error?.code).toBe(
        'email_exists',
      );
    });

    test.each([['magiclink'], ['recovery']] as const)('signs in (%s)', async (type) => {
      const email = someone();
      await server.member(email);
      const { data } = await admin.generateLink({ type, email });
      const hash = data.properties?.hashed_token ?? '';
      const used = await server.visitor().auth.verifyOtp({ token_hash: hash, type });
      expect(used.error).toBeNull();
      expect(used.data.user?.email).toBe(email);
      expect((await server.visitor().auth.verifyOtp({ token_hash: hash, type })).error?.code).toBe('otp_expired');
    });

    test('expires when the service sets a new password', async () => {
      const email = someone();
      const client = await server.member(email);
      const id = (await client.auth.getUser()).data.user?.id ?? '';
      const { data } = await admin.generateLink({ type: 'recovery', email });
      expect((await admin.updateUserById(id, { password: `${PASSWORD} anew` })).error).toBeNull();
      const token_hash = data.properties?.hashed_token ?? '';
      const used = await server.visitor().auth.verifyOtp({ token_hash, type: 'recovery' });
      expect(used.error?.code).toBe('otp_expired');
    });

    test('invites; for a new address a sign-in link confirms a new account', async () => {
      const invited = await admin.generateLink({ type: 'invite', email: someone() });
      const hash = invited.data.properties?.hashed_token ?? '';
      expect((await server.visitor().auth.verifyOtp({ token_hash: hash, type: 'invite' })).error).toBeNull();
      const fresh = await admin.generateLink({ type: 'magiclink', email: someone() });
      expect(fresh.data.properties?.verification_type).toBe('signup');
      expect((await admin.generateLink({ type: 'recovery', email: someone() })).error).toMatchObject({ status: 404 });
    });

    test('changes an address after both addresses have confirmed it', async () => {
      const [email, newEmail] = [someone(), someone()];
      await server.member(email);
      const current = await admin.generateLink({ type: 'email_change_current', email, newEmail });
      const fresh = await admin.generateLink({ type: 'email_change_new', email, newEmail });
      expect(current.data.user).toMatchObject({ email, new_email: newEmail });
      const verify = (hash: string | undefined) =>
        server.visitor().auth.verifyOtp({ token_hash: hash ?? '', type: 'email_change' });
      expect((await verify(current.data.properties?.hashed_token)).data.session).toBeNull();
      expect((await verify(fresh.data.properties?.hashed_token)).data.user?.email).toBe(newEmail);
    });
  });

  test('the audit log is read in pages, by action and by person', async () => {
    const email = someone();
    const client = await server.member(email);
    const id = (await client.auth.getUser()).data.user?.id ?? '';
    const headers = { authorization: `Bearer ${server.app.keys.serviceRoleKey}` };
    const mine = await server.request('GET', `/admin/audit?per_page=2&query=author:${id}`, undefined, headers);
    expect(mine.status).toBe(200);
    expect(mine.headers.get('x-total-count')).toBe('3');
    expect(mine.headers.get('link')).toContain('page=2');
    const entries: unknown = mine.body;
    expect(entries).toMatchObject([{ payload: { actor_id: id } }, { payload: { actor_id: id } }]);
    expect((await server.request('GET', '/admin/audit?query=x', undefined, headers)).status).toBe(400);
  });
});
