import { expect, test } from 'vitest';
import { getAddress } from './address.ts';
import { createBodyBudget } from './bodies/bodies.ts';
import { createJsonBudget } from './bodies/json-budget.ts';
import { createMiddleware, type MiddlewareOptions } from './middleware.ts';

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
let release: () => void;
const released = new Promise<void>((resolve) => void (release = resolve));

function createApp(more: Partial<MiddlewareOptions> = {}): ReturnType<typeof createMiddleware> {
  const app = createMiddleware({
    log: silent,
    accessLog: false,
    trustedProxies: 0,
    siteUrl: 'http://localhost:3000',
    captcha: null,
    hsts: { seconds: 63_072_000, subdomains: false, preload: false },
    bodies: createBodyBudget({ total: 4_000_000, perSender: 3_000_000 }),
    json: { budget: createJsonBudget(1_000), readSender: (_, address) => Promise.resolve({ address }) },
    observe: () => undefined,
    ...more,
  });
  app.onError((_, c) => c.text('failed', 500));
  app.get('/rest/v1/thing', () => Response.json({ of: 'value' }, { headers: { 'content-range': '0-0/1' } }));
  app.get('/rest/v1/list', () => Response.json([], { headers: { 'cache-control': 'no-cache' } }));
  app.get('/storage/v1/file', () => Response.json([]));
  app.post('/auth/v1/thing', async (c) => c.json({ length: (await c.req.text()).length }));
  app.post('/rest/v1/waiting', async (c) => {
    await released;
    return c.json({});
  });
  app.get('/page', (c) => c.html('<p>page</p>'));
  return app;
}
const settings = createApp();

test('any origin may read an API answer, with the headers that supabase-js reads', async () => {
  const answer = await settings.request('/rest/v1/thing', { headers: { origin: 'https://elsewhere.example' } });
  expect(answer.headers.get('access-control-allow-origin')).toBe('*');
  expect(answer.headers.get('access-control-expose-headers')?.split(',')).toEqual(
    expect.arrayContaining(['content-range', 'x-relay-error', 'x-request-id']),
  );
  expect(answer.headers.get('content-range')).toBe('0-0/1');
  expect(await answer.json()).toEqual({ of: 'value' });
});

test('a CORS preflight returns the allowed methods and headers', async () => {
  const answer = await settings.request('/auth/v1/thing', {
    method: 'OPTIONS',
    headers: {
      origin: 'https://elsewhere.example',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'apikey,authorization,x-client-info',
    },
  });
  expect(answer.status).toBe(204);
  expect(answer.headers.get('access-control-allow-origin')).toBe('*');
  expect(answer.headers.get('access-control-allow-methods')).toContain('POST');
  const allowed = answer.headers.get('access-control-allow-headers')?.toLowerCase().split(',');
  expect(allowed).toEqual(expect.arrayContaining(['apikey', 'authorization', 'x-client-info', 'prefer']));
});

/** Returns the security headers of a response, by name. */
async function headersAt(path: string, more: Partial<MiddlewareOptions> = {}): Promise<Record<string, string>> {
  const answer = await createApp(more).request(path);
  return Object.fromEntries(answer.headers);
}

test('a page has all security headers, and other origins cannot read it', async () => {
  const { 'x-request-id': id, ...headers } = await headersAt('/page');
  expect(id).toMatch(/^[0-9a-f-]{36}$/);
  expect(headers).toEqual({
    'content-type': 'text/html; charset=UTF-8',
    'content-security-policy':
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; media-src 'self' blob:; font-src 'self'; " +
      "connect-src 'self' ws://localhost:3000; worker-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; " +
      "frame-ancestors 'none'; object-src 'none'; require-trusted-types-for 'script'; report-uri /policy-reports",
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'permissions-policy': 'camera=(self), microphone=(), geolocation=(), payment=()',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'cross-origin-embedder-policy': 'require-corp',
    'x-frame-options': 'DENY',
  });
});

test('a site with https names where browsers report what the policy blocks, in the new way and in the old one', async () => {
  const headers = await headersAt('/page', { siteUrl: 'https://app.example.com' });
  expect(headers['reporting-endpoints']).toBe('policy="/policy-reports"');
  expect(headers['content-security-policy']).toContain('; report-uri /policy-reports; report-to policy;');
});

test('only a site with https sends HSTS and upgrade-insecure-requests', async () => {
  const headers = await headersAt('/page', { siteUrl: 'https://app.example.com' });
  expect(headers['strict-transport-security']).toBe('max-age=63072000');
  const hsts = { seconds: 600, subdomains: true, preload: true };
  expect((await headersAt('/page', { siteUrl: 'https://app.example.com', hsts }))['strict-transport-security']).toBe(
    'max-age=600; includeSubDomains; preload',
  );
  expect(headers['content-security-policy']).toMatch(
    /connect-src 'self' wss:\/\/app\.example\.com;.*; upgrade-insecure-requests$/,
  );
});

test.each(['turnstile', 'hcaptcha'] as const)(
  '%s may run on pages when it is configured, and no other origin',
  async (captcha) => {
    const headers = await headersAt('/page', { captcha });
    const origin = captcha === 'turnstile' ? 'https://challenges.cloudflare.com' : 'https://hcaptcha.com';
    for (const directive of ['script-src', 'connect-src', 'frame-src'])
      expect(headers['content-security-policy']).toMatch(new RegExp(`${directive} [^;]*${origin}`));
    expect(headers['cross-origin-embedder-policy']).toBeUndefined();
  },
);

test('an API allows any origin without credentials, and its answers are not cached', async () => {
  const headers = await headersAt('/rest/v1/thing');
  expect(headers['access-control-allow-origin']).toBe('*');
  expect(headers['access-control-allow-credentials']).toBeUndefined();
  expect(headers['cross-origin-resource-policy']).toBe('cross-origin');
  expect(headers['cache-control']).toBe('no-store');
  expect(headers['content-security-policy']).toBeUndefined();
});

test('an API may set cache-control itself, and storage always does', async () => {
  expect((await headersAt('/rest/v1/list'))['cache-control']).toBe('no-cache');
  expect((await headersAt('/storage/v1/file'))['cache-control']).toBeUndefined();
});

test('a body of unknown length is counted while it is read, and refused with 413', async () => {
  const chunk = new Uint8Array(400_000);
  const body = new ReadableStream({
    pull(controller) {
      controller.enqueue(chunk);
    },
  });
  const init = { method: 'POST', body, duplex: 'half' as const, headers: { 'transfer-encoding': 'chunked' } };
  const answer = await settings.request('/auth/v1/thing', init);
  expect([answer.status, await answer.json()]).toEqual([413, expect.objectContaining({ code: 'request_too_large' })]);
});

test('one address may send three megabytes at once, and each answer frees its share', async () => {
  const send = (body: string): Promise<Response> =>
    Promise.resolve(
      settings.request('/rest/v1/waiting', {
        method: 'POST',
        body,
        headers: { 'content-length': String(body.length) },
      }),
    );
  const million = 'x'.repeat(1_000_000);
  const waiting = [send(million), send(million), send(million)];
  const fourth = await send(million);
  expect([fourth.status, fourth.headers.get('retry-after')]).toEqual([429, '2']);
  release();
  expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([200, 200, 200]);
  expect((await send('x')).status).toBe(200);
});

test('a body that is too large is refused with the error format of its API', async () => {
  const answer = await settings.request('/auth/v1/thing', { method: 'POST', body: 'x'.repeat(1024 * 1024 + 1) });
  expect(answer.status).toBe(413);
  expect(answer.headers.get('x-supabase-api-version')).toBe('2024-01-01');
  expect(await answer.json()).toEqual({ code: 'request_too_large', message: 'The request is too large' });
});

test('the client address is that of the connection, or the one that the outermost trusted proxy names', () => {
  expect(getAddress('::ffff:10.0.0.1', undefined, 0)).toBe('10.0.0.1');
  expect(getAddress('10.0.0.1', '1.1.1.1, 2.2.2.2', 0)).toBe('10.0.0.1');
  expect(getAddress('10.0.0.1', '1.1.1.1, 2.2.2.2', 1)).toBe('2.2.2.2');
  expect(getAddress('2001:db8:1:2:3:4:5:6', undefined, 0)).toBe('2001:db8:1:2::');
});

/** Returns the lines that requests write to the access log. */
async function accessLines(accessLog: boolean, ...requests: readonly [path: string, method: string][]) {
  const lines: [message: string, fields: Record<string, unknown>][] = [];
  const log = { ...silent, info: (fields: Record<string, unknown>, message: string) => lines.push([message, fields]) };
  const app = createApp({ accessLog, log });
  app.get('/rest/v1/:table', (c) => c.json({ table: c.req.param('table') }));
  app.get('/broken', () => Promise.reject(new Error('broken')));
  const ids = [];
  for (const [path, method] of requests) ids.push((await app.request(path, { method })).headers.get('x-request-id'));
  return { lines, ids };
}

test('each request leaves one line with method, route, status, milliseconds and request id, without query values', async () => {
  const { lines, ids } = await accessLines(
    true,
    ['/rest/v1/people?email=eq.anna@example.com', 'GET'],
    ['/rest/v1/people?token=s3cret', 'PATCH'],
    ['/page?access_token=s3cret', 'HEAD'],
    ['/broken?code=s3cret', 'GET'],
    [`/${'long'.repeat(100)}?q=s3cret`, 'GET'],
  );
  const ms = expect.any(Number);
  const long = `/${'long'.repeat(100)}`.slice(0, 200);
  expect(lines).toEqual([
    ['request', { requestId: ids[0], method: 'GET', route: '/rest/v1/:table', status: 200, ms }],
    ['request', { requestId: ids[1], method: 'PATCH', route: '/rest/v1/people', status: 404, ms }],
    ['request', { requestId: ids[2], method: 'HEAD', route: '/page', status: 200, ms }],
    ['request', { requestId: ids[3], method: 'GET', route: '/broken', status: 500, ms }],
    ['request', { requestId: ids[4], method: 'GET', route: long, status: 404, ms }],
  ]);
  expect(JSON.stringify(lines)).not.toMatch(/s3cret|anna/);
});

test('no request leaves a line when the access log is off', async () => {
  expect((await accessLines(false, ['/page', 'GET'])).lines).toEqual([]);
});
