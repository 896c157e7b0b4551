import { networkInterfaces } from 'node:os';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines } from '#tests/support/engines.ts';
import type { TestServer } from '#tests/support/test-server.ts';

/** Requests that a page of another site can make a browser send without a preflight request and without a key. */
const SIMPLE: readonly [
  string,
  Record<string, string>,
  (fields: Record<string, string>) => string | URLSearchParams | FormData | Blob,
][] = [
  ['text/plain', { 'content-type': 'text/plain' }, (fields) => JSON.stringify(fields)],
  ['a form', {}, (fields) => new URLSearchParams(fields)],
  [
    'a form with files',
    {},
    (fields) => Object.entries(fields).reduce((form, [k, v]) => (form.set(k, v), form), new FormData()),
  ],
  ['no type', {}, (fields) => new Blob([JSON.stringify(fields)])],
  ['text that names JSON', { 'content-type': 'text/plain; application/json' }, (fields) => JSON.stringify(fields)],
];
const CALLS = ['/signup', '/otp', '/magiclink', '/recover', '/resend', '/token?grant_type=password', '/verify'];

describe.each(engines)('forms of other sites on $name', (engine) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await engine.open({ METRICS_TOKEN: 'a-token-for-the-metrics' });
  }, 60_000);
  afterAll(() => server.close());

  const countCreated = (): Promise<unknown> =>
    server.app.db.queryRow(
      'select (select count(*)::int from auth.users) as accounts, (select count(*)::int from private.outbox) as mails, (select count(*)::int from auth.signup_attempts) as attempts',
    );

  test.each(SIMPLE)('%s creates no account and sends no mail', async (name, headers, createBody) => {
    const before = await countCreated();
    for (const path of CALLS) {
      const fields = {
        email: 'foreign@example.com',
        password: 'a long enough secret 7!',
        type: 'signup',
        token: '123456',
      };
      const response = await fetch(`${server.url}/auth/v1${path}`, {
        method: 'POST',
        headers,
        body: createBody(fields),
      });
      expect([name, path, response.status]).toEqual([name, path, 415]);
      expect(response.headers.get('x-supabase-api-version')).toBe('2024-01-01');
      expect(await response.json()).toMatchObject({ code: 'unsupported_media_type', message: expect.any(String) });
    }
    expect(await countCreated()).toEqual(before);
  });

  test.each(SIMPLE)('%s calls no function', async (_, headers, createBody) => {
    for (const name of ['cancel-booking', 'verify-payment', 'regenerate-pin', 'create-payment']) {
      const { token } = await server.addCustomer();
      const response = await fetch(`${server.url}/functions/v1/${name}`, {
        method: 'POST',
        headers: { ...headers, authorization: `Bearer ${token}` },
        body: createBody({ sessionId: 'cs_test_x' }),
      });
      expect([name, response.status]).toEqual([name, 415]);
      expect(await response.json()).toMatchObject({ error: { code: 'unsupported_media_type' } });
    }
  });

  test('the client itself and calls without a body are accepted', async () => {
    const { error } = await server.client().auth.resetPasswordForEmail('nobody@example.com');
    expect(error).toBeNull();
    const response = await fetch(`${server.url}/auth/v1/logout`, {
      method: 'POST',
      headers: { authorization: `Bearer ${(await server.addCustomer()).token}` },
    });
    expect(response.status).toBe(204);
  });

  test('identity providers may still answer with a form', async () => {
    const body = new URLSearchParams({ SAMLResponse: 'x', RelayState: 'y', state: 'z' });
    for (const path of ['/callback', '/sso/saml/acs']) {
      const response = await fetch(`${server.url}/auth/v1${path}`, { method: 'POST', body, redirect: 'manual' });
      expect([path, response.status]).not.toEqual([path, 415]);
    }
  });

  test('accounts and functions answer with no-store, errors too', async () => {
    const key = { apikey: server.app.keys.anonKey };
    for (const path of [
      '/auth/v1/settings',
      '/auth/v1/nothing',
      '/functions/v1/nothing',
      '/functions/v1/cancel-booking',
    ])
      expect((await fetch(`${server.url}${path}`, { headers: key })).headers.get('cache-control'), path).toBe(
        'no-store',
      );
    const { token } = await server.addCustomer();
    const own = await fetch(`${server.url}/rest/v1/profiles`, {
      headers: { ...key, authorization: `Bearer ${token}` },
    });
    expect([own.status, own.headers.get('cache-control')]).toEqual([200, 'no-store']);
  });

  test('the metrics are for this machine, not for requests through a proxy', async () => {
    const ask = async (headers: Record<string, string>, url = server.url): Promise<number> =>
      (await fetch(`${url}/metrics`, { headers })).status;
    expect(await ask({})).toBe(200);
    for (const name of ['x-forwarded-for', 'x-real-ip', 'forwarded', 'via'])
      expect(await ask({ [name]: '127.0.0.1' }), name).toBe(401);
    const outside = Object.values(networkInterfaces())
      .flat()
      .find((network) => network && !network.internal && network.family === 'IPv4');
    const url = outside ? server.url.replace('localhost', outside.address) : null;
    if (url !== null) expect(await ask({}, url)).toBe(401);
    const foreign = { 'x-forwarded-for': '203.0.113.9' };
    expect(await ask({ ...foreign, authorization: 'Bearer a-token-for-the-metrics' })).toBe(200);
    for (const bearer of ['a-token-for-the-metric', 'a-token-for-the-metrics2', '', server.app.keys.serviceRoleKey])
      expect(await ask({ ...foreign, authorization: `Bearer ${bearer}` })).toBe(401);
  });
});
