import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import * as contracts from '#contracts/calls.ts';
import { type Customer, startTestServer, type TestServer } from '#tests/support/test-server.ts';
import { runScript } from '#tests/support/schema.ts';
import { sendUnfinished } from './raw-request.ts';
import { readCloseCode, UNFINISHED } from './unfinished-frame.ts';

/** JSON that is short to send but expensive to parse must be refused before it is parsed, on every route and socket. */
const MARK = 'a mark in every body';
const list = (count: number, item: string): string => Array.from({ length: count }, () => item).join(',');
const COSTLY: readonly (readonly [string, string])[] = [
  ['many keys', `{"${MARK}":1,${Array.from({ length: 26_000 }, (_, index) => `"k${index}":1`).join(',')}}`],
  ['many items', `["${MARK}",${list(26_000, '1')}]`],
  ['many lists', `{"${MARK}":[${list(13_000, '[1]')}]}`],
  ['a long number', `{"${MARK}":${'9'.repeat(20_000)}}`],
  ['a large exponent', `{"${MARK}":1e99999}`],
  ['deep nesting', `{"${MARK}":${'['.repeat(10_000)}${']'.repeat(10_000)}}`],
];

describe('JSON that is expensive to parse', { timeout: 300_000 }, () => {
  let server: TestServer;
  let customer: Customer;
  const parse = vi.spyOn(JSON, 'parse');
  const parsed = (): number => parse.mock.calls.filter(([text]) => String(text).includes(MARK)).length;
  beforeAll(async () => {
    server = await startTestServer();
    customer = await server.addCustomer();
  }, 60_000);
  afterAll(async () => {
    parse.mockRestore();
    await server.close();
  });

  /** Returns the routes of all routers that may read a body, with words for their parameters, and every function. */
  function routes(): (readonly [string, string])[] {
    const writing = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);
    const listed = server.app.http.routes
      .filter(({ method, path }) => writing.has(method) && /^\/(auth|rest|storage|realtime|functions)\/v1\//.test(path))
      .map(({ method, path }): readonly [string, string] => [method, path.replaceAll(/:\w+(\{[^}]*\})?|\*/g, 'x')]);
    const functions = Object.values(contracts).map(({ name }) => ['POST', `/functions/v1/${name}`] as const);
    const unique = new Map([...listed, ...functions].map((route) => [route.join(' '), route]));
    return [...unique.values()];
  }

  async function send(method: string, path: string, body: string, token: string): Promise<number> {
    const response = await fetch(`${server.url}${path}`, {
      method,
      headers: { apikey: token, authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body,
    });
    await response.text();
    return response.status;
  }

  test('every API has routes in the list', () => {
    for (const api of ['auth', 'rest', 'storage', 'realtime', 'functions'])
      expect(routes().filter(([, path]) => path.startsWith(`/${api}/v1/`)).length, api).toBeGreaterThan(1);
    expect(routes().length).toBeGreaterThan(100);
  });

  test.each(COSTLY)('with %s is refused on every route, to guests and customers, and never parsed', async (_, body) => {
    const answered: string[] = [];
    for (const [method, path] of routes())
      for (const token of [server.app.keys.anonKey, customer.token]) {
        const status = await send(method, path, body, token);
        if (status < 400 || status >= 500) answered.push(`${status} ${method} ${path}`);
      }
    expect(answered).toEqual([]);
    expect(parsed()).toBe(0);
  });

  test('with many keys is refused to guests and customers by tables and calls as CSV too', async () => {
    const body = `${list(26_000, 'a')}\n${list(26_000, '1')}`;
    for (const token of [server.app.keys.anonKey, customer.token]) {
      const response = await fetch(`${server.url}/rest/v1/mailing_list`, {
        method: 'POST',
        headers: { apikey: token, authorization: `Bearer ${token}`, 'content-type': 'text/csv' },
        body,
      });
      expect([response.status, await response.json()]).toMatchObject([400, { code: 'PGRST102' }]);
    }
  });

  test('is read by the service key, which inserts many rows at once', async () => {
    await runScript(
      server,
      `create table public.imported (n int primary key);

       grant insert on public.imported to service_role;

       notify pgrst, 'reload schema'`,
    );
    const body = JSON.stringify(Array.from({ length: 30_000 }, (_, n) => ({ n })));
    await expect
      .poll(() => send('POST', '/rest/v1/imported', body, server.app.keys.serviceRoleKey), { timeout: 30_000 })
      .toBe(201);
  });

  const open = (vsn: string): WebSocket =>
    new WebSocket(
      `${server.url.replace('http', 'ws')}/realtime/v1/websocket?apikey=${server.app.keys.anonKey}&vsn=${vsn}`,
    );
  const createFrame = (vsn: string, event: string, payload: string): string =>
    vsn === '2.0.0'
      ? `["1","1","realtime:any","${event}",${payload}]`
      : `{"topic":"realtime:any","event":"${event}","ref":"1","join_ref":"1","payload":${payload}}`;
  /** Sends frames one after another. Returns the code with which the server closed the socket, or 0 if it did not. */
  async function closedBy(vsn: string, frames: readonly string[], waitMs: number): Promise<number> {
    const socket = open(vsn);
    return new Promise((resolve) => {
      socket.on('close', resolve);
      socket.on('error', () => undefined);
      socket.on('open', () => {
        for (const frame of frames) socket.send(frame);
        setTimeout(() => socket.terminate(), waitMs).unref();
      });
    });
  }

  describe.each(['1.0.0', '2.0.0'])('in frames of a socket with serializer %s', (vsn) => {
    test.each(COSTLY)('with %s closes the socket of a guest and is never parsed', async (_, payload) => {
      expect([1008, 1009]).toContain(await closedBy(vsn, [createFrame(vsn, 'phx_join', payload)], 20_000));
      expect(parsed()).toBe(0);
    });

    test.each(COSTLY)('with %s closes the socket of a customer and is never parsed', async (_, payload) => {
      const join = createFrame(vsn, 'phx_join', JSON.stringify({ access_token: customer.token, config: {} }));
      const socket = open(vsn);
      const code = await new Promise<number>((resolve) => {
        socket.on('close', resolve);
        socket.on('open', () => socket.send(join));
        socket.once('message', () => socket.send(createFrame(vsn, 'broadcast', payload)));
      });
      expect(code).toBe(1008);
      expect(parsed()).toBe(0);
    });
  });

  test.each(Object.keys(UNFINISHED))(
    'a guest’s message of 4.7 MB in %s closes the socket before 150 KB of it have arrived, and 60 KB do not',
    async (kind) => {
      const path = `/realtime/v1/websocket?apikey=${server.app.keys.anonKey}&vsn=2.0.0`;
      const begun = UNFINISHED[kind] ?? (() => Buffer.alloc(0));
      expect(await readCloseCode(server.url, path, begun(150_000), 20_000)).toBe(1009);
      expect(await readCloseCode(server.url, path, begun(60_000), 1_000)).toBe(null);
    },
  );

  test('a guest’s frame above 64 KB closes the socket, a customer’s is answered', async () => {
    const large = JSON.stringify({ type: 'broadcast', event: 'e', payload: { text: 'x'.repeat(200_000) } });
    expect(await closedBy('2.0.0', [createFrame('2.0.0', 'broadcast', large)], 20_000)).toBe(1009);
    const client = server.client(customer.token);
    await client.realtime.setAuth(customer.token);
    const channel = client.channel('large', { config: { broadcast: { ack: true } } });
    await new Promise<void>((resolve) => channel.subscribe((status) => status === 'SUBSCRIBED' && resolve()));
    expect(await channel.send({ type: 'broadcast', event: 'e', payload: { text: 'x'.repeat(200_000) } })).toBe('ok');
    await client.removeAllChannels();
  });
});

describe('the bytes of one sender in a minute', { timeout: 120_000 }, () => {
  let server: TestServer;
  let customer: Customer;
  beforeAll(async () => {
    server = await startTestServer({
      env: { RATE_LIMIT_FACTOR: '1', REST_GUEST_PER_MINUTE: '100000', TRUSTED_PROXIES: '1' },
    });
    customer = await server.addCustomer();
  }, 60_000);
  afterAll(() => server.close());

  const createHeaders = (address: string, token = server.app.keys.anonKey): Record<string, string> => ({
    apikey: server.app.keys.anonKey,
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    'x-forwarded-for': address,
  });
  const KB_60 = JSON.stringify({ text: 'x'.repeat(60_000) });
  const post = async (path: string, headers: Record<string, string>): Promise<number> => {
    const response = await fetch(`${server.url}${path}`, { method: 'POST', headers, body: KB_60 });
    await response.text();
    return response.status;
  };
  const TOO_MUCH = 'Too much has been sent in a short time. Please try again later.';

  test.each([
    ['/auth/v1/recover', { code: 'over_request_rate_limit', message: TOO_MUCH }],
    ['/rest/v1/mailing_list', { code: 'over_request_rate_limit', message: TOO_MUCH, details: null, hint: null }],
    ['/storage/v1/object/list/x', { statusCode: '429', message: TOO_MUCH }],
    ['/functions/v1/quote-series', { error: { code: 'too_many_requests', message: TOO_MUCH } }],
    ['/realtime/v1/api/broadcast', { message: TOO_MUCH }],
  ])('are limited with 429 before a body has arrived: %s', async (path, shape) => {
    const address = `203.0.113.${path.charCodeAt(1)}`;
    const headers = { ...createHeaders(address), 'content-length': '60000' };
    const refused: string[] = [];
    const over = new AbortController();
    // Sends five megabytes at once. The budget is four, and refills over time. Some calls have their own limit as well.
    const all = Array.from({ length: 90 }, async () => {
      const { text } = await sendUnfinished(server.url, { path, headers, sent: '{' }, 45_000, over.signal);
      if (text.includes(TOO_MUCH)) refused.push(text);
    });
    const settled = Promise.allSettled(all);
    await expect.poll(() => refused.length, { timeout: 30_000 }).toBeGreaterThanOrEqual(10);
    over.abort();
    await settled;
    for (const text of refused) {
      expect(text).toMatch(/^HTTP\/1\.1 429 /);
      expect(text).toMatch(/retry-after: \d+/i);
      expect(JSON.parse(text.slice(text.indexOf('\r\n\r\n') + 4))).toMatchObject(shape);
    }
    // Another address has its own budget, and so does an account at this address.
    expect(await post('/auth/v1/recover', createHeaders('198.51.100.77'))).toBe(400);
    expect(await post('/rest/v1/rpc/nothing', createHeaders(address, customer.token))).toBe(404);
  });

  test('of a guest’s socket are limited: it is closed', async () => {
    const socket = new WebSocket(
      `${server.url.replace('http', 'ws')}/realtime/v1/websocket?apikey=${server.app.keys.anonKey}&vsn=2.0.0`,
    );
    const code = await new Promise<number>((resolve) => {
      socket.on('close', resolve);
      socket.on('open', () => {
        for (let index = 0; index < 30; index += 1) socket.send(`[null,"1","phoenix","heartbeat",${KB_60}]`);
      });
    });
    expect(code).toBe(1008);
  });
});
