import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, type AuthTestServer, startAuthTestServer, PASSWORD, engines } from './auth-test-server.ts';

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const hs256 = (head: unknown, body: unknown, secret: string): string => {
  const text = `${part(head)}.${part(body)}`;
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
};

describe.each(engines)('attacks on accounts (PostgreSQL: %s)', (postgres) => {
  let server: AuthTestServer;
  let good = '';
  let claims: Record<string, unknown> = {};
  beforeAll(async () => {
    server = await startAuthTestServer({ postgres });
    const client = await server.member('forger@example.com');
    good = (await client.auth.getSession()).data.session?.access_token ?? '';
    claims = JSON.parse(Buffer.from(good.split('.')[1] ?? '', 'base64url').toString());
  });
  afterAll(() => server.close());

  const statuses = async (token: string): Promise<number[]> => {
    const headers = { apikey: server.app.keys.anonKey, authorization: `Bearer ${token}` };
    const paths = [
      '/auth/v1/user',
      '/rest/v1/profiles?select=id',
      '/storage/v1/bucket/x',
      '/functions/v1/release-hold',
    ];
    return Promise.all(
      paths.map(async (path) => {
        const post = path.startsWith('/functions');
        const answer = await fetch(`${server.url}${path}`, {
          method: post ? 'POST' : 'GET',
          headers,
          ...(post ? { body: '{}' } : {}),
        });
        return answer.status;
      }),
    );
  };
  const kid = (): string => JSON.parse(Buffer.from(good.split('.')[0] ?? '', 'base64url').toString()).kid;

  test('forged tokens are refused by every API: algorithm none, algorithm confusion, wrong key, wrong kid, changed claims, other audience, unknown session [spec 8.45]', async () => {
    const jwk = (await server.request('GET', '/.well-known/jwks.json')).body['keys'];
    const publicText = JSON.stringify(Array.isArray(jwk) ? jwk[0] : jwk);
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const service = { ...claims, role: 'service_role' };
    const es256 = (head: unknown, body: unknown): string => {
      const text = `${part(head)}.${part(body)}`;
      const mark = sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' });
      return `${text}.${mark.toString('base64url')}`;
    };
    const [head = '', body = '', mark = ''] = good.split('.');
    const forged = {
      none: `${part({ alg: 'none', typ: 'JWT' })}.${part(service)}.`,
      'none with a mark': `${part({ alg: 'none', typ: 'JWT' })}.${part(service)}.${mark}`,
      'HS256 by the public key': hs256({ alg: 'HS256', kid: kid() }, service, publicText),
      'HS256 by an empty secret': hs256({ alg: 'HS256' }, service, ''),
      'HS256 by a well-known secret': hs256(
        { alg: 'HS256' },
        service,
        'super-secret-jwt-token-with-at-least-32-characters-long',
      ),
      'another key': es256({ alg: 'ES256', kid: kid() }, service),
      'another key by jwk header': es256({ alg: 'ES256', kid: kid(), jwk: JSON.parse(publicText) }, service),
      'another kid': `${part({ alg: 'ES256', kid: '../../etc/passwd' })}.${body}.${mark}`,
      'no kid': `${part({ alg: 'ES256' })}.${body}.${mark}`,
      'a changed role': `${head}.${part(service)}.${mark}`,
      'a changed person': `${head}.${part({ ...claims, sub: '00000000-0000-4000-8000-000000000001' })}.${mark}`,
      'a cut mark': `${head}.${body}.${mark.slice(0, -4)}`,
      'ours for another audience': server.app.keys.sign({ ...claims, aud: 'elsewhere' }, 600, server.now()),
      'ours of a role there is not': server.app.keys.sign({ ...claims, role: 'postgres' }, 600, server.now()),
      'ours of a session there is not': server.app.keys.sign(
        { ...claims, session_id: '00000000-0000-4000-8000-000000000001' },
        600,
        server.now(),
      ),
    };
    expect((await statuses(good))[0]).toBe(200);
    for (const [name, token] of Object.entries(forged))
      for (const status of await statuses(token)) expect([400, 401, 403], `${name}: ${status}`).toContain(status);
  });

  test('an access token expires after an hour, with ten seconds of tolerance', async () => {
    const client = await server.member('hour@example.com');
    const { session } = (await client.auth.getSession()).data;
    const headers = { authorization: `Bearer ${session?.access_token}` };
    server.advance(3_605_000);
    expect((await server.request('GET', '/user', undefined, headers)).status).toBe(200);
    server.advance(10_000);
    expect(await server.request('GET', '/user', undefined, headers)).toMatchObject({
      status: 403,
      body: { code: 'bad_jwt' },
    });
  });

  test('any body to any path gets JSON with a 4xx status, and nothing fails', async () => {
    const bodies: readonly unknown[] = [
      undefined,
      '',
      '{',
      'null',
      '[]',
      '"x"',
      '1',
      '{}',
      { email: 1, password: true, token: [], refresh_token: {}, type: null },
      { email: `x'; drop table auth.users; --@example.com`, password: PASSWORD, type: 'signup', token: `' or 1=1` },
      { email: 'a@example.com\r\nBcc: b@example.com', password: PASSWORD },
      {
        email: 'nul\u0000@example.com',
        password: 'nul\u0000nul\u0000',
        refresh_token: '\u0000',
        token_hash: '\u0000',
        type: 'signup',
      },
      { email: 'new@example.com', password: PASSWORD, data: { a: 'b\u0000c' } },
      { email: 'new@example.com', password: PASSWORD, data: { a: '\ud800' } },
      { email: `${'x'.repeat(300)}@example.com`, password: 'y'.repeat(5_000), refresh_token: 'z'.repeat(5_000) },
      `${'['.repeat(100_000)}${']'.repeat(100_000)}`,
      `{"email":"deep@example.com","password":"${PASSWORD}","data":${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}}`,
      '{"__proto__":{"x":1},"constructor":1,"email":"__proto__","type":"constructor","token":"x"}',
    ];
    const paths = [
      '/signup',
      '/token',
      '/token?grant_type=password',
      '/token?grant_type=refresh_token',
      '/token?grant_type=pkce',
      '/token?grant_type=id_token',
      '/token?grant_type=web3',
      '/token?grant_type=constructor',
      '/verify',
      '/resend',
      '/recover',
      '/otp',
      '/sso',
      '/logout',
      '/factors',
      '/factors/x/challenge',
      '/passkeys/authentication/verify',
      '/passkeys/registration/verify',
      '/admin/users',
      '/invite',
      '/magiclink',
      '/admin/generate_link',
      '/nowhere',
    ];
    for (const path of paths)
      for (const body of bodies) {
        const answer: Answer = await server.request('POST', path, body);
        const where = `${path} ${JSON.stringify(body)?.slice(0, 60)}: ${answer.status} ${JSON.stringify(answer.body).slice(0, 200)}`;
        expect(answer.status, where).toBeGreaterThanOrEqual(400);
        expect(answer.status, where).toBeLessThan(500);
        expect(typeof answer.body['message'], where).toBe('string');
      }
    expect(
      await server.app.db.queryRow(
        `select count(*)::int as n from auth.users where email like '%deep%' or email like 'new@%'`,
      ),
    ).toEqual({ n: 0 });
  });

  test('hostile values in any field are not executed, and no mail goes to another address', async () => {
    const service = { authorization: `Bearer ${server.app.keys.serviceRoleKey}` };
    const evil = [
      `x'; drop table auth.users; --`,
      `x"); delete from auth.sessions; --`,
      'a@example.com\r\nBcc: eve@example.com',
      '${process.exit(1)}',
      '<script>alert(1)</script>',
      `%00' or '1'='1`,
    ];
    const forms: readonly (readonly [string, readonly string[]])[] = [
      ['/signup', ['email', 'phone', 'password', 'channel']],
      ['/otp', ['email', 'phone', 'channel']],
      ['/token?grant_type=password', ['email', 'phone', 'password']],
      ['/token?grant_type=refresh_token', ['refresh_token']],
      ['/verify', ['email', 'phone', 'token', 'token_hash', 'type']],
      ['/recover', ['email']],
      ['/resend', ['email', 'phone', 'type']],
      ['/admin/users', ['id', 'email', 'phone', 'password_hash', 'role', 'ban_duration']],
      ['/admin/generate_link', ['type', 'email', 'new_email', 'redirect_to']],
      ['/invite', ['email']],
    ];
    const good = { email: 'injected@example.com', password: PASSWORD, token: '123456', type: 'signup' };
    const { n: before } = (await server.app.db.queryRow<{ n: number }>(
      'select count(*)::int as n from auth.users',
    )) ?? {
      n: 0,
    };
    for (const [path, fields] of forms)
      for (const field of fields)
        for (const text of evil) {
          const answer = await server.request('POST', path, { ...good, [field]: text }, service);
          expect(answer.status, `${path} ${field} ${text}`).toBeLessThan(500);
        }
    const { n: after } = (await server.app.db.queryRow<{ n: number }>('select count(*)::int as n from auth.users')) ?? {
      n: 0,
    };
    expect(after - before).toBeLessThanOrEqual(1);
    expect(await server.readMails('eve@example.com')).toEqual([]);
  }, 120_000);

  test('a body over a megabyte is refused, with or without a content-length', async () => {
    // The test uses no socket, because a server may close the connection while the client is still sending.
    const megabytes = new TextEncoder().encode('x'.repeat(2 * 1024 * 1024));
    for (const path of ['/signup', '/otp', '/nowhere'])
      for (const announced of [true, false]) {
        const answer = await server.app.http.request(`/auth/v1${path}`, {
          method: 'POST',
          headers: {
            apikey: server.app.keys.anonKey,
            'content-type': 'application/json',
            ...(announced ? { 'content-length': String(megabytes.byteLength) } : { 'transfer-encoding': 'chunked' }),
          },
          body: announced ? megabytes : new Blob([megabytes]).stream(),
          ...(announced ? {} : { duplex: 'half' }),
        });
        expect(answer.status, `${path} ${announced}`).toBe(413);
        expect(answer.headers.get('x-supabase-api-version')).toBe('2024-01-01');
        expect(await answer.json()).toMatchObject({ code: 'request_too_large' });
      }
  });

  test.each([
    ['GET', '/authorize?provider=google', 400, 'Unsupported provider: provider is not enabled'],
    ['GET', '/callback?code=x', 400, 'Unsupported provider: provider is not enabled'],
    ['POST', '/otp', 400, 'One of email or phone must be set'],
    ['POST', '/sso', 404, 'SAML 2.0 is disabled'],
    ['POST', '/token?grant_type=web3', 422, 'Web3 provider is disabled'],
    ['GET', '/user/identities/authorize?provider=google', 401, 'This endpoint requires a valid Bearer token'],
    ['GET', '/reauthenticate', 401, 'This endpoint requires a valid Bearer token'],
    ['POST', '/factors', 401, 'This endpoint requires a valid Bearer token'],
    ['GET', '/admin/users', 403, 'User not allowed'],
    ['PUT', '/signup', 404, 'Not found'],
    ['GET', '/', 404, 'Not found'],
  ])('%s %s says in the words of the protocol that it is not available', async (method, path, status, message) => {
    const answer = await server.request(method, path, method === 'GET' ? undefined : {});
    expect(answer).toMatchObject({ status, body: { message } });
    expect(answer.headers.get('content-type')).toContain('json');
  });

  test('a person gets the error that linking is switched off', async () => {
    const client = await server.member('linker@example.com');
    expect((await client.auth.linkIdentity({ provider: 'google' })).error).toMatchObject({
      status: 404,
      code: 'manual_linking_disabled',
      message: 'Manual linking is disabled',
    });
    expect((await client.auth.signInAnonymously()).error).toMatchObject({
      status: 422,
      code: 'anonymous_provider_disabled',
      message: 'Anonymous sign-ins are disabled',
    });
  });

  test('settings and health show what is enabled, and keys are public only [spec 7.8]', async () => {
    expect((await server.request('GET', '/settings')).body).toMatchObject({
      disable_signup: false,
      external: { email: true },
    });
    expect((await server.request('GET', '/health')).status).toBe(200);
    const keys = await server.request('GET', '/.well-known/jwks.json');
    expect(JSON.stringify(keys.body)).not.toContain('"d"');
    expect(keys.headers.get('cache-control')).toBe('public, max-age=600');
  });

  test('a link redirects only to our own site, whatever redirect it names', async () => {
    for (const to of [
      'https://evil.example',
      '//evil.example',
      'javascript:alert(1)',
      '/\\evil.example',
      '%0d%0aset-cookie:x=1',
      '..//evil.example',
    ])
      for (const type of ['signup', 'recovery', 'email_change', to, '__proto__']) {
        const answer = await server.request(
          'GET',
          `/verify?token=${to}&type=${encodeURIComponent(type)}&redirect_to=${encodeURIComponent(to)}`,
        );
        expect(answer.status).toBe(303);
        expect(new URL(answer.headers.get('location') ?? '').origin).toBe(server.url);
        expect(answer.headers.get('set-cookie')).toBeNull();
      }
  });
});
