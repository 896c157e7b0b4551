import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, oneEngine } from '#tests/support/engines.ts';
import { runScript } from '#tests/support/schema.ts';
import { STUDIO_A, until, type TestServer } from '#tests/support/test-server.ts';

const SECRET = 'the shared secret of this test, 40 letters';
/** Roles belong to the whole PostgreSQL server, so unique names keep concurrent test runs apart. */
const REPORTER = `reporter_${randomBytes(4).toString('hex')}`;
const UNGRANTED = `stranger_${randomBytes(4).toString('hex')}`;

describe.each(engines)('tokens signed with a registered key, on $name', (engine) => {
  let server: TestServer;
  let folder = '';
  const signers: Record<string, (claims: Record<string, unknown>) => Promise<string>> = {};

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'key-roles-'));
    const jwks = [];
    for (const alg of ['ES256', 'RS256']) {
      const { privateKey } = await generateKeyPair(alg, { extractable: true });
      jwks.push({ ...(await exportJWK(privateKey)), kid: alg });
      signers[alg] = (claims) =>
        new SignJWT(claims).setProtectedHeader({ alg, kid: alg }).setExpirationTime('1h').sign(privateKey);
    }
    signers['HS256'] = (claims) =>
      new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).setExpirationTime('1h').sign(Buffer.from(SECRET));
    const file = join(folder, 'signing.json');
    await writeFile(file, JSON.stringify({ keys: jwks }));
    server = await engine.open({ JWT_SECRET: SECRET, AUTH_SIGNING_KEYS_FILE: file });
    await runScript(
      server,
      [
        `create role ${REPORTER} nologin noinherit`,
        `create role ${UNGRANTED} nologin noinherit`,
        `grant ${REPORTER} to authenticator`,
        `grant usage on schema public, storage to ${REPORTER}`,
        `create function public.whoami() returns text language sql stable set search_path = '' as 'select current_user::text'`,
        `grant execute on function public.whoami() to ${REPORTER}, anon, authenticated, service_role`,
        `notify pgrst`,
      ].join(';\n\n'),
    );
    await until(async () => (await ask('/rest/v1/rpc/whoami')).status === 200);
  }, 120_000);
  afterAll(async () => {
    await runScript(
      server,
      [`drop owned by ${REPORTER}`, `drop role ${REPORTER}`, `drop role ${UNGRANTED}`].join(';\n\n'),
    );
    await server.close();
    await rm(folder, { recursive: true });
  });

  async function ask(path: string, token?: string, init: RequestInit = {}): Promise<{ status: number; body: unknown }> {
    const response = await fetch(`${server.url}${path}`, {
      ...init,
      headers: {
        'content-type': 'application/json',
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
    });
    return { status: response.status, body: await response.json() };
  }

  describe.each(['ES256', 'RS256', 'HS256'])('%s', (alg) => {
    const sign = (claims: Record<string, unknown>): Promise<string> =>
      signers[alg]?.(claims) ?? Promise.reject(new Error(alg));

    test.each(['service_role', 'anon', 'authenticated', REPORTER])(
      'a token for %s runs as that role of the database',
      async (role) => {
        expect(await ask('/rest/v1/rpc/whoami', await sign({ role }))).toEqual({ status: 200, body: role });
      },
    );

    test('a token without a role runs as anon', async () => {
      expect(await ask('/rest/v1/rpc/whoami', await sign({ sub: 'x' }))).toEqual({ status: 200, body: 'anon' });
    });

    test('roles that are not granted to authenticator are refused as in PostgREST, superusers too', async () => {
      for (const role of [UNGRANTED, 'backend', 'authenticator', 'booking_reader', 'postgres'])
        expect(await ask('/rest/v1/rpc/whoami', await sign({ role })), role).toMatchObject({
          status: 403,
          body: { code: '42501', message: `permission denied to set role "${role}"` },
        });
      expect(await ask('/rest/v1/rpc/whoami', await sign({ role: 'nobody_there' }))).toMatchObject({
        status: 401,
        body: { code: '22023', message: 'role "nobody_there" does not exist' },
      });
      expect((await ask('/storage/v1/bucket', await sign({ role: 'backend' }))).status).toBe(400);
    });

    test('service_role administers accounts and storage; other roles do not, and are not signed in', async () => {
      const service = await sign({ role: 'service_role' });
      expect((await ask('/auth/v1/admin/users', service)).status).toBe(200);
      expect((await ask('/storage/v1/bucket/id-verifications', service)).status).toBe(200);
      const reporter = await sign({ role: REPORTER, sub: 'a5000000-0000-4000-8000-000000000001' });
      expect(await ask('/auth/v1/admin/users', reporter)).toMatchObject({ status: 403, body: { code: 'not_admin' } });
      expect((await ask('/auth/v1/user', reporter)).status).toBe(401);
      const body = JSON.stringify({ metadata: { studioId: STUDIO_A } });
      const paid = await ask('/functions/v1/create-payment', reporter, { method: 'POST', body });
      expect(paid).toMatchObject({ status: 401, body: { error: { code: 'not_signed_in' } } });
    });

    test('a user token without a session reads its own rows; one whose session ended reads nothing', async () => {
      const { id } = await server.addCustomer();
      const claims = { role: 'authenticated', sub: id };
      expect((await ask('/rest/v1/profiles?select=user_id', await sign(claims))).body).toEqual([{ user_id: id }]);
      const ended = await sign({ ...claims, session_id: 'a5000000-0000-4000-8000-0000000000ff' });
      expect((await ask('/rest/v1/profiles?select=user_id', ended)).status).toBe(401);
      expect((await ask('/auth/v1/user', ended)).status).toBe(403);
    });
  });

  test('a request without a key is a guest of /rest, gets no user from /auth, and is refused without a key by /storage', async () => {
    expect(await ask('/rest/v1/rpc/whoami')).toEqual({ status: 200, body: 'anon' });
    expect((await ask('/rest/v1/profiles?select=user_id')).status).toBe(401);
    expect(await ask('/auth/v1/user')).toMatchObject({ status: 401, body: { code: 'no_authorization' } });
    expect((await ask('/storage/v1/bucket')).status).toBe(400);
  });

  test('a changed token is refused by /auth in the words of GoTrue', async () => {
    const token = (await signers['ES256']?.({ role: 'service_role' })) ?? '';
    expect(await ask('/auth/v1/admin/users', `${token.slice(0, -6)}AAAAAA`)).toMatchObject({
      status: 403,
      body: {
        code: 'bad_jwt',
        message: 'invalid JWT: unable to parse or verify signature, token signature is invalid: signature is invalid',
      },
    });
  });
});

test.each(oneEngine)('with API_KEY_REQUIRED a request without a key is refused', async ({ open }) => {
  const server = await open({ API_KEY_REQUIRED: 'true' });
  const bare = await fetch(`${server.url}/rest/v1/studios`);
  expect([bare.status, await bare.json()]).toMatchObject([401, { message: 'No API key found in request' }]);
  const keyed = await fetch(`${server.url}/rest/v1/studios`, { headers: { apikey: server.app.keys.anonKey } });
  expect(keyed.status).toBe(200);
  await server.close();
});
