import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AuthRefusal } from '#server/auth/core/errors.ts';
import { deleteExpired } from '#server/auth/core/cleanup.ts';
import { importUsers } from '#server/auth/import/import-users.ts';
import { type Answer, type AuthApp, NEW_PASSWORD, openAuthApp, PASSWORD, SITE, textIn } from './auth-app.ts';

let app: AuthApp;
let count = 0;
const address = (): string => `admin${(count += 1)}@example.com`;
beforeAll(async () => {
  app = await openAuthApp();
});
afterAll(() => app.close());
const service = (method: string, path: string, body?: unknown): Promise<Answer> =>
  app.request(method, path, body, { token: app.keys.serviceRoleKey });
const create = (form: Record<string, unknown>): Promise<Answer> => service('POST', '/admin/users', form);

describe('accounts created by the service', () => {
  test('a confirmed one can sign in with its password at once', async () => {
    const email = address();
    const created = await create({
      email,
      password: PASSWORD,
      email_confirm: true,
      user_metadata: { full_name: 'Ada' },
    });
    expect(created).toMatchObject({ status: 200, body: { email, user_metadata: { full_name: 'Ada' } } });
    await app.signIn(email);
  });

  test('the password and metadata of an unconfirmed one need its code', async () => {
    const email = address();
    expect((await create({ email, password: PASSWORD, user_metadata: { full_name: 'Ada' } })).status).toBe(200);
    expect((await app.request('POST', '/token?grant_type=password', { email, password: PASSWORD })).body).toMatchObject(
      {
        code: 'email_not_confirmed',
      },
    );
    await app.request('POST', '/resend', { type: 'signup', email });
    const { code } = await app.mailTo(email);
    expect((await app.request('POST', '/verify', { email, type: 'signup', token: code })).body).toMatchObject({
      user: { user_metadata: { full_name: 'Ada' } },
    });
    await app.signIn(email);
  });

  test('a phone that is not given confirms nothing', async () => {
    const email = address();
    const created = await create({ email, password: PASSWORD, phone_confirm: true });
    expect(created.status).toBe(200);
    for (const time of ['email_confirmed_at', 'phone_confirmed_at', 'confirmed_at'])
      expect(created.body[time] ?? null, time).toBeNull();
    const signedIn = await app.request('POST', '/token?grant_type=password', { email, password: PASSWORD });
    expect(signedIn.body).toMatchObject({ code: 'email_not_confirmed' });
  });

  test('one may have no password', async () => {
    const email = address();
    expect((await create({ email, email_confirm: true })).status).toBe(200);
    expect((await app.request('POST', '/token?grant_type=password', { email, password: PASSWORD })).status).toBe(400);
  });

  test('a taken address or phone is refused as taken', async () => {
    const email = address();
    await create({ email, phone: '+61491570006', phone_confirm: true });
    expect(await create({ email })).toMatchObject({ status: 422, body: { code: 'email_exists' } });
    expect(await create({ phone: '+61491570006' })).toMatchObject({ status: 422, body: { code: 'phone_exists' } });
  });

  test('a bcrypt hash is stored as given, and a malformed one is refused', async () => {
    const email = address();
    const hash = '$2b$06$t8V8PuXQl7HwjGgN10PGv.mDt75QRe1DSj7smSfvbnh8bsjkwRovG';
    expect((await create({ email, email_confirm: true, password_hash: hash })).status).toBe(200);
    await app.signIn(email, 'correct horse battery');
    expect(await create({ email: address(), password_hash: hash.replace('06', 'xx') })).toMatchObject({ status: 400 });
  });
});

describe('changes by the service', () => {
  test('metadata is merged, null removes a key, and the rest of the account stays', async () => {
    const { id, email } = await app.member();
    await service('PUT', `/admin/users/${id}`, { user_metadata: { a: 1, b: 2 } });
    const changed = await service('PUT', `/admin/users/${id}`, { user_metadata: { b: null, c: 3 } });
    expect(changed.body).toMatchObject({ email, user_metadata: { a: 1, c: 3 } });
    expect(changed.body['user_metadata']).not.toHaveProperty('b');
    await app.signIn(email);
  });

  test('a ban of an hour and a half ends the sessions and lasts that long', async () => {
    const { id, email, token } = await app.member();
    const banned = await service('PUT', `/admin/users/${id}`, { ban_duration: '1h30m' });
    const until = Date.parse(textIn(banned.body, 'banned_until'));
    expect(Math.abs(until - app.now().getTime() - 5_400_000)).toBeLessThan(60_000);
    expect((await app.request('GET', '/user', undefined, { token })).body).toMatchObject({ code: 'session_not_found' });
    expect((await app.request('POST', '/token?grant_type=password', { email, password: PASSWORD })).body).toMatchObject(
      {
        code: 'user_banned',
      },
    );
  });

  test('an invalid address is refused before the password is checked', async () => {
    const { id } = await app.member();
    expect((await service('PUT', `/admin/users/${id}`, { email: 'nobody', password: 'x' })).body).toMatchObject({
      code: 'email_address_invalid',
    });
  });

  test('a new password ends the links that were mailed before', async () => {
    const { id, email } = await app.member();
    await app.request('POST', '/recover', { email });
    const { tokenHash } = await app.mailTo(email);
    expect((await service('PUT', `/admin/users/${id}`, { password: NEW_PASSWORD })).status).toBe(200);
    expect((await app.request('POST', '/verify', { type: 'recovery', token_hash: tokenHash })).status).toBe(403);
    await app.signIn(email, NEW_PASSWORD);
  });
});

describe('links generated for the service', () => {
  test('a magic link and a recovery link sign in to a confirmed account', async () => {
    const { id, email } = await app.member();
    for (const type of ['magiclink', 'recovery']) {
      const created = await service('POST', '/admin/generate_link', { type, email });
      expect(created).toMatchObject({ status: 200, body: { id, email, verification_type: type, redirect_to: SITE } });
      const body = { type, token_hash: textIn(created.body, 'hashed_token') };
      expect(await app.request('POST', '/verify', body)).toMatchObject({ status: 200, body: { user: { id } } });
    }
  });

  test('a link without an address is refused', async () => {
    expect((await service('POST', '/admin/generate_link', { type: 'magiclink' })).body).toMatchObject({
      message: 'An email address is required',
    });
  });
});

describe('lists', () => {
  test('pages give the number of accounts, and the next and last page', async () => {
    for (let n = 0; n < 5; n += 1) await create({ email: address() });
    const { body, headers } = await service('GET', '/admin/users?page=2&per_page=2');
    const total = Number(headers.get('x-total-count'));
    expect(total).toBeGreaterThan(4);
    const last = Math.ceil(total / 2);
    expect(headers.get('link')).toBe(
      `<${SITE}/auth/v1/admin/users?page=3&per_page=2>; rel="next", <${SITE}/auth/v1/admin/users?page=${last}&per_page=2>; rel="last"`,
    );
    const first = await service('GET', '/admin/users?per_page=2');
    expect(body['users']).toHaveLength(2);
    expect(body['users']).not.toEqual(first.body['users']);
  });

  test.each(['0', '2x', 'x', '-1', '1.5', '1234567890'])('page %s is refused', async (page) => {
    expect((await service('GET', `/admin/users?page=${page}`)).body).toMatchObject({ code: 'validation_failed' });
  });

  test('the audit log is read in full, by event or by person', async () => {
    const { id } = await app.member();
    const read = async (query: string): Promise<unknown[]> => {
      const { status, body } = await service('GET', `/admin/audit${query}`);
      expect(status).toBe(200);
      return Object.values(body);
    };
    expect((await read('')).length).toBeGreaterThan(1);
    expect(await read(`?query=author:${id}`)).toMatchObject([{ payload: { action: 'login', actor_id: id } }, {}]);
    expect((await read('?query=action:login')).length).toBeGreaterThan(0);
    expect(await read('?query=action:nothing')).toEqual([]);
  });
});

test('only the service key may make admin calls', async () => {
  const { token } = await app.member();
  for (const options of [{}, { token }])
    for (const [method, path] of [
      ['GET', '/admin/users'],
      ['GET', '/invite'],
      ['GET', '/admin/nothing'],
    ] as const)
      expect((await app.request(method, path, undefined, options)).body).toMatchObject({ code: 'not_admin' });
  for (const path of ['/invite', '/admin/nothing'])
    expect(await service('GET', path)).toMatchObject({ status: 404, body: { code: 'feature_disabled' } });
});

test.each(['GET', 'POST', 'DELETE'])('%s on the OAuth server says that it is disabled', async (method) => {
  for (const path of ['/oauth/authorizations/1', '/user/oauth/grants'])
    expect((await app.request(method, path)).body).toMatchObject({ code: 'feature_disabled' });
});

test('a refusal has a name for logs', () => {
  expect(new AuthRefusal(400, 'validation_failed', 'x').name).toBe('AuthRefusal');
});

test('unfinished challenges and sign-ins are deleted an hour after they expire', async () => {
  await app.request('GET', '/authorize?provider=google');
  const readRemaining = () => app.db.queryRow<{ n: number }>('select count(*)::int as n from auth.flow_state');
  await deleteExpired(app.db, app.now());
  expect(await readRemaining()).toEqual({ n: 1 });
  app.advance(72 * 60_000);
  await deleteExpired(app.db, app.now());
  expect(await readRemaining()).toEqual({ n: 0 });
});

test('an import accepts accounts with and without times, and refuses an invalid time', async () => {
  const [first, two, three] = ['1', '2', '3'].map((n) => n.repeat(8) + '-1111-4111-8111-111111111111');
  const dump = `INSERT INTO auth.users (id, email, email_confirmed_at, banned_until) VALUES
    ('${first}', 'Import1@example.com', '2024-02-03 04:05:06+00', NULL),
    ('${two}', 'import2@example.com', NULL, 'infinity'), ('${three}', 'import3@example.com', 'soon', NULL);
INSERT INTO auth.users (id, email) VALUES ('4${first?.slice(1)}', 'import4@example.com');`;
  const done = await importUsers(app.db, dump, app.now());
  expect(done).toMatchObject({ users: 3, skipped: 0, refused: [expect.stringContaining(`user ${three}: email_con`)] });
  expect((await service('GET', `/admin/users/${first}`)).body).toMatchObject({
    email: 'import1@example.com',
    email_confirmed_at: '2024-02-03T04:05:06.000Z',
  });
  expect((await importUsers(app.db, dump, app.now())).skipped).toBe(3);
});
