import type { SupabaseClient } from '@supabase/supabase-js';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { until } from '#tests/support/test-server.ts';
import { type Answer, type AuthTestServer, startAuthTestServer, PASSWORD, engines } from './auth-test-server.ts';

let count = 0;
const someone = (): string => `session${(count += 1)}@example.com`;
const NEW_PASSWORD = 'another fine phrase';

describe.each(engines)('sessions with supabase-js (PostgreSQL: %s)', (postgres) => {
  let server: AuthTestServer;
  beforeAll(async () => {
    server = await startAuthTestServer({ postgres });
  });
  afterAll(() => server.close());

  const readTokens = async (client: SupabaseClient): Promise<{ access: string; refresh: string }> => {
    const { session } = (await client.auth.getSession()).data;
    return { access: session?.access_token ?? '', refresh: session?.refresh_token ?? '' };
  };
  const trade = (token: string): Promise<Answer> =>
    server.request('POST', '/token?grant_type=refresh_token', { refresh_token: token });
  const next = async (token: string): Promise<string> => String((await trade(token)).body['refresh_token']);
  const call = async (access: string): Promise<number> =>
    (await server.request('GET', '/user', undefined, { authorization: `Bearer ${access}` })).status;
  const restStatus = async (access: string): Promise<number> =>
    (
      await fetch(`${server.url}/rest/v1/profiles?select=id`, {
        headers: { apikey: server.app.keys.anonKey, authorization: `Bearer ${access}` },
      })
    ).status;
  const signIn = async (email: string, password = PASSWORD): Promise<SupabaseClient> => {
    const client = server.visitor();
    const { error } = await client.auth.signInWithPassword({ email, password });
    if (error) throw error;
    return client;
  };

  describe('signing in', () => {
    test('the right password opens a session whose token the published keys verify [spec 3.2, 7.3]', async () => {
      const email = someone();
      await server.member(email);
      const client = await signIn(email);
      const { data } = await client.auth.getClaims();
      expect(data?.header).toMatchObject({ alg: 'ES256' });
      expect(data?.claims).toMatchObject({
        aud: 'authenticated',
        role: 'authenticated',
        email,
        aal: 'aal1',
        is_anonymous: false,
        amr: [{ method: 'password' }],
      });
      expect((await client.auth.getUser()).data.user).toMatchObject({ email, role: 'authenticated' });
    });

    test('a wrong password gets the same error for every account, known or unknown [spec 8.4]', async () => {
      const [email, waiting, banned, bare] = [someone(), someone(), someone(), someone()];
      await server.member(email);
      await server.request('POST', '/signup', { email: waiting, password: PASSWORD });
      const accounts = server.service().auth.admin;
      await accounts.createUser({ email: banned, password: PASSWORD, email_confirm: true, ban_duration: '1h' });
      await accounts.createUser({ email: bare, email_confirm: true });
      const body = { password: 'a wrong phrase' };
      const wrong = await server.request('POST', '/token?grant_type=password', { ...body, email });
      expect(wrong).toMatchObject({
        status: 400,
        body: { code: 'invalid_credentials', message: 'Invalid login credentials' },
      });
      for (const other of [someone(), waiting, banned, bare]) {
        const answer = await server.request('POST', '/token?grant_type=password', { ...body, email: other });
        expect({ ...answer, headers: [...answer.headers.keys()] }).toEqual({
          ...wrong,
          headers: [...wrong.headers.keys()],
        });
      }
    });

    test('a banned or deleted account is locked out within a second, by password, refresh and access token', async () => {
      for (const change of [`banned_until = 'infinity'`, `deleted_at = now()`]) {
        const email = someone();
        const { access, refresh } = await readTokens(await server.member(email));
        expect(await call(access)).toBe(200);
        await server.app.db.query(`update auth.users set ${change} where email = $1`, [email]);
        await new Promise((resolve) => setTimeout(resolve, 700));
        expect(await call(access)).toBe(403);
        expect(await restStatus(access)).toBe(401);
        expect((await trade(refresh)).status).toBeGreaterThanOrEqual(400);
        expect((await server.visitor().auth.signInWithPassword({ email, password: PASSWORD })).error).not.toBeNull();
      }
    });
  });

  describe('refreshing', () => {
    test('200 simultaneous uses of one token get the same successor, and it works [spec 7.3]', async () => {
      const { refresh } = await readTokens(await server.member(someone()));
      const answers = await Promise.all(Array.from({ length: 200 }, () => trade(refresh)));
      expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([200]));
      const handed = new Set(answers.map((answer) => answer.body['refresh_token']));
      expect(handed.size).toBe(1);
      expect(handed.has(refresh)).toBe(false);
      expect((await trade([...handed].map(String)[0] ?? '')).status).toBe(200);
    });

    test('of many sessions that refresh at once, twice each, every one gets its own next token', async () => {
      const clients = await Promise.all(Array.from({ length: 6 }, () => server.member(someone())));
      const tokens = await Promise.all(clients.map(async (client) => (await readTokens(client)).refresh));
      const users = await Promise.all(clients.map(async (client) => (await client.auth.getUser()).data.user?.id));
      const answers = await Promise.all([...tokens, ...tokens].map(trade));
      expect(answers.map(({ body }) => (body['user'] as { id: string }).id)).toEqual([...users, ...users]);
      const handed = answers.map(({ body }) => body['refresh_token']);
      expect(handed.slice(6)).toEqual(handed.slice(0, 6));
      expect(new Set([...tokens, ...handed]).size).toBe(12);
      const { count: entries } = (await server.app.db.queryRow<{ count: number }>(
        `select count(*)::int from auth.audit_log_entries where payload ->> 'action' = 'token_refreshed' and payload ->> 'actor_id' = any($1)`,
        [users],
      )) ?? { count: 0 };
      expect(entries).toBe(6);
    });

    if (postgres)
      test('a session whose row is locked delays no other, and gets its next token when it is free', async () => {
        const clients = await Promise.all(Array.from({ length: 4 }, () => server.member(someone())));
        const tokens = await Promise.all(clients.map(async (client) => (await readTokens(client)).refresh));
        const other = new pg.Client({ connectionString: server.ownerUrl ?? '' });
        await other.connect();
        await other.query('begin');
        await other.query('select from auth.sessions where user_id = $1 for update', [
          (await clients[0]?.auth.getUser())?.data.user?.id,
        ]);
        const [first, ...rest] = tokens.map(trade);
        expect((await Promise.all(rest)).map(({ status }) => status)).toEqual([200, 200, 200]);
        await other.query('rollback');
        await other.end();
        const answer = await first;
        expect(answer?.status).toBe(200);
        expect(answer?.body['refresh_token']).not.toBe(tokens[0]);
        expect((await trade(String(answer?.body['refresh_token']))).status).toBe(200);
      });

    test('a client that lost the answer can ask again, even a day later', async () => {
      const { refresh } = await readTokens(await server.member(someone()));
      const lost = await next(refresh);
      server.advance(86_400_000);
      const retried = await trade(refresh);
      expect(retried).toMatchObject({ status: 200, body: { refresh_token: lost } });
      expect((await trade(lost)).status).toBe(200);
    });

    test('a used token still gets the newest one for ten seconds', async () => {
      const { refresh } = await readTokens(await server.member(someone()));
      const third = await next(await next(await next(refresh)));
      expect(await next(refresh)).toBe(third);
      server.advance(9_000);
      expect(await next(refresh)).toBe(third);
    });

    test('a later use of a copy ends the session for everybody and reveals nothing', async () => {
      const client = await server.member(someone());
      const { refresh } = await readTokens(client);
      const second = await next(refresh);
      server.advance(11_000);
      const third = await trade(second);
      const access = String(third.body['access_token']);
      expect(await call(access)).toBe(200);
      // A copy of the first token is used right after a legitimate refresh: the age of the newest token does not matter.
      const stolen = await trade(refresh);
      expect(stolen).toMatchObject({ status: 400, body: { code: 'refresh_token_already_used' } });
      expect(stolen.body['access_token']).toBeUndefined();
      expect(await trade(String(third.body['refresh_token']))).toMatchObject({
        status: 400,
        body: { code: 'refresh_token_not_found' },
      });
      expect(await call(access)).toBe(403);
    });

    test('made-up, altered and cut tokens are refused', async () => {
      const { refresh } = await readTokens(await server.member(someone()));
      const altered = Buffer.from(refresh, 'base64url');
      altered.writeUInt32BE(5, 16);
      for (const token of ['', 'x', refresh.slice(0, -2), altered.toString('base64url'), 'A'.repeat(48)])
        expect(await trade(token)).toMatchObject({ status: 400, body: { code: 'refresh_token_not_found' } });
      expect((await trade(refresh)).status).toBe(200);
    });

    test('a change of the user is in the next token', async () => {
      const client = await server.member(someone());
      await client.auth.updateUser({ data: { dj_name: 'AC', gone: 1 } });
      await client.auth.updateUser({ data: { gone: null } });
      const { data } = await client.auth.refreshSession();
      expect(data.user?.user_metadata).toEqual({ dj_name: 'AC' });
      expect((await client.auth.getClaims()).data?.claims['user_metadata']).toEqual({ dj_name: 'AC' });
    });
  });

  describe('signing out', () => {
    test('ends refresh and access on every API within a second', async () => {
      const client = await server.member(someone());
      const { access, refresh } = await readTokens(client);
      expect(await call(access)).toBe(200);
      expect(await restStatus(access)).toBe(200);
      expect((await client.auth.signOut()).error).toBeNull();
      expect(await call(access)).toBe(403);
      expect(await restStatus(access)).toBe(401);
      expect((await trade(refresh)).body['code']).toBe('refresh_token_not_found');
      const repeated = await server.request('POST', '/logout', undefined, { authorization: `Bearer ${access}` });
      expect(repeated).toMatchObject({ status: 403, body: { code: 'session_not_found' } });
    });

    test.each([
      ['local', [403, 200]],
      ['others', [200, 403]],
      ['global', [403, 403]],
    ] as const)('scope %s leaves what it should [spec 5.36, 7.5]', async (scope, [own, other]) => {
      const email = someone();
      const here = await server.member(email);
      const there = await signIn(email);
      const [a, b] = [(await readTokens(here)).access, (await readTokens(there)).access];
      expect((await here.auth.signOut({ scope })).error).toBeNull();
      expect(await call(a)).toBe(own);
      expect(await call(b)).toBe(other);
    });

    test('nobody can end the sessions of another person', async () => {
      const first = await server.member(someone());
      const two = await server.member(someone());
      await first.auth.signOut({ scope: 'global' });
      expect(await call((await readTokens(two)).access)).toBe(200);
    });

    test('an invalid token gets the error that the client expects [spec 5.36]', async () => {
      const answer = await server.request('POST', '/logout', undefined, { authorization: 'Bearer rubbish' });
      expect(answer).toMatchObject({
        status: 403,
        body: { code: 'bad_jwt', message: expect.stringMatching(/^invalid JWT/) },
      });
      const guest = await server.request('POST', '/logout?scope=local');
      expect(guest).toMatchObject({ status: 401, body: { code: 'no_authorization' } });
      const { access } = await readTokens(await server.member(someone()));
      const odd = await server.request('POST', '/logout?scope=all', undefined, { authorization: `Bearer ${access}` });
      expect(odd.status).toBe(400);
    });
  });

  describe('a new password', () => {
    test('by recovery: the mailed link signs in, the new password works, other sessions end, the owner gets a mail [spec 7.4, 7.18]', async () => {
      const email = someone();
      const other = await server.member(email);
      const { access } = await readTokens(other);
      server.advance(61_000);
      const client = server.visitor();
      expect((await client.auth.resetPasswordForEmail(email, { redirectTo: 'https://evil.example' })).error).toBeNull();
      const mail = await server.mail(email, 2);
      expect(mail.text).toContain(`${server.url}/auth?reset=true&token_hash=${mail.tokenHash}&type=recovery`);
      expect(mail.text).not.toContain('evil.example');
      const { error } = await client.auth.verifyOtp({ token_hash: mail.tokenHash, type: 'recovery' });
      expect(error).toBeNull();
      expect((await client.auth.updateUser({ password: PASSWORD })).error?.code).toBe('same_password');
      expect((await client.auth.updateUser({ password: 'abc' })).error).toMatchObject({
        code: 'weak_password',
        message: 'Password should be at least 6 characters',
      });
      expect((await client.auth.updateUser({ password: NEW_PASSWORD })).error).toBeNull();
      expect(await call(access)).toBe(403);
      expect(await call((await readTokens(client)).access)).toBe(200);
      expect((await server.mail(email, 3)).subject).toBe('Your password was changed');
      expect((await client.auth.signInWithPassword({ email, password: PASSWORD })).error?.code).toBe(
        'invalid_credentials',
      );
      expect((await client.auth.signInWithPassword({ email, password: NEW_PASSWORD })).error).toBeNull();
    });

    test('by code as well, once', async () => {
      const email = someone();
      await server.member(email);
      server.advance(61_000);
      await server.visitor().auth.resetPasswordForEmail(email);
      const { code } = await server.mail(email, 2);
      expect((await server.visitor().auth.verifyOtp({ email, token: code, type: 'recovery' })).error).toBeNull();
      expect((await server.visitor().auth.verifyOtp({ email, token: code, type: 'recovery' })).error?.code).toBe(
        'otp_expired',
      );
    });

    test('invalidates every link and code that was mailed before it or is still queued', async () => {
      const [email, changed] = [someone(), someone()];
      const client = await server.member(email);
      server.advance(61_000);
      await server.visitor().auth.resetPasswordForEmail(email);
      const reset = await server.mail(email, 2);
      await server.visitor().auth.signInWithOtp({ email, options: { shouldCreateUser: false } });
      const link = await server.mail(email, 3);
      await client.auth.updateUser({ email: changed });
      const change = await server.mail(changed);
      server.advance(61_000);
      const { id } = (await client.auth.getUser()).data.user ?? {};
      await server.app.db.query(
        `insert into private.outbox (kind, subject_id, recipient, due_at) values ('account-mail.recovery', gen_random_uuid(), $1, $2::timestamptz + interval '1 hour')`,
        [email, server.now()],
      );
      expect((await client.auth.updateUser({ password: NEW_PASSWORD })).error).toBeNull();
      const verify = (token_hash: string, type: 'recovery' | 'magiclink' | 'email_change') =>
        server.visitor().auth.verifyOtp({ token_hash, type });
      expect((await verify(reset.tokenHash, 'recovery')).error?.code).toBe('otp_expired');
      expect((await verify(link.tokenHash, 'magiclink')).error?.code).toBe('otp_expired');
      expect((await verify(change.tokenHash, 'email_change')).error?.code).toBe('otp_expired');
      const { rows } = await server.app.db.query(
        `select kind from private.outbox where recipient = $1 and kind <> 'account-mail.password_changed'
         union all select kind from auth.one_time_tokens where user_id = $2::uuid`,
        [email, id],
      );
      expect(rows).toEqual([]);
    });

    if (postgres)
      test('invalidates the link of a mail that is being sent at the same moment: it does not work and is not mailed', async () => {
        const email = someone();
        const client = await server.member(email);
        server.advance(61_000);
        const { id } = (await client.auth.getUser()).data.user ?? {};
        const other = new pg.Client({ connectionString: server.ownerUrl ?? '' });
        await other.connect();
        // Blocks the sender just before it stores the code, by inserting the same row without committing it.
        await other.query('begin');
        await other.query(
          `insert into auth.one_time_tokens (user_id, kind, email, code_hash, token_hash, expires_at, created_at)
           values ($1, 'recovery', $2, '', '', now(), now())`,
          [id, email],
        );
        await server.visitor().auth.resetPasswordForEmail(email);
        const waits = `select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like '%into auth.one_time_tokens%' and datname = current_database()`;
        await until(async () => (await other.query(waits)).rows.length > 0);
        expect((await client.auth.updateUser({ password: NEW_PASSWORD })).error).toBeNull();
        await other.query('rollback');
        await other.end();
        expect((await server.mail(email, 2)).subject).toBe('Your password was changed');
        await until(
          async () =>
            (await server.app.db.queryRow('select 1 from private.outbox where recipient = $1', [email])) === null,
        );
        expect(
          await server.app.db.queryRow('select 1 from auth.one_time_tokens where user_id = $1::uuid', [id]),
        ).toBeNull();
        expect(await server.readMails(email)).toHaveLength(2);
      });

    test('an old session needs the current password', async () => {
      const email = someone();
      const client = await server.member(email);
      server.advance(601_000);
      expect((await client.auth.updateUser({ password: NEW_PASSWORD })).error).toMatchObject({
        status: 400,
        message: 'Please enter your current password.',
      });
      const wrong = await client.auth.updateUser({ password: NEW_PASSWORD, current_password: 'a wrong phrase' });
      expect(wrong.error?.message).toBe('Your current password is incorrect.');
      const right = await client.auth.updateUser({ password: NEW_PASSWORD, current_password: PASSWORD });
      expect(right.error).toBeNull();
      await signIn(email, NEW_PASSWORD);
    });
  });

  describe('a new address', () => {
    test('counts after its code is entered; the old one then no longer signs in [spec 7.5, 7.20]', async () => {
      const [email, changed] = [someone(), someone()];
      const client = await server.member(email);
      const changing = await client.auth.updateUser({ email: changed });
      expect(changing.data.user).toMatchObject({ email, new_email: changed });
      const { code } = await server.mail(changed);
      expect((await server.visitor().auth.verifyOtp({ email, token: code, type: 'email_change' })).error?.code).toBe(
        'otp_expired',
      );
      const done = await client.auth.verifyOtp({ email: changed, token: code, type: 'email_change' });
      expect(done.error).toBeNull();
      expect(done.data.user).toMatchObject({ email: changed });
      expect((await client.from('profiles').select('email').single()).data).toEqual({ email: changed });
      await signIn(changed);
      expect((await server.visitor().auth.signInWithPassword({ email, password: PASSWORD })).error?.code).toBe(
        'invalid_credentials',
      );
    });

    test('that is taken gets the same answer as a free one, and its owner gets a mail', async () => {
      const [email, taken] = [someone(), someone()];
      const client = await server.member(email);
      await server.member(taken);
      server.advance(61_000);
      const { data, error } = await client.auth.updateUser({ email: taken });
      expect(error).toBeNull();
      expect(data.user).toMatchObject({ email, new_email: taken });
      expect(await server.mail(taken, 2)).toMatchObject({ subject: 'You already have an account', code: '' });
    });
  });

  test('the audit log has an entry for each of these events, without secrets, and rows are only added', async () => {
    const email = someone();
    const client = await server.member(email);
    await client.auth.refreshSession();
    await client.auth.signOut();
    const { rows } = await server.app.db.query<{ action: string }>(
      `select e.payload ->> 'action' as action from auth.audit_log_entries e join auth.users u on u.id::text = e.payload ->> 'actor_id'
       where u.email = $1 order by e.created_at, action`,
      [email],
    );
    expect(new Set(rows.map((row) => row.action))).toEqual(
      new Set(['user_signedup', 'user_confirmed', 'login', 'token_refreshed', 'logout']),
    );
    await expect(server.app.db.query('delete from auth.audit_log_entries')).rejects.toThrow(/never changed/);
  });
});
