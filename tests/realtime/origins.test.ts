import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { startTestServer, type TestServer } from '#tests/support/test-server.ts';

/** Origins of pages whose sockets are refused. Browsers send the origin of the page, and no script can change it. */
const FOREIGN = ['https://elsewhere.example', 'http://elsewhere.example', 'null', 'file://'];

/** Returns the status of an upgrade, 101 or that of its refusal, with the body of the answer. */
function upgrade(server: TestServer, headers: Record<string, string>): Promise<[status: number, body: string]> {
  const path = `/realtime/v1/websocket?apikey=${server.app.keys.anonKey}&vsn=2.0.0`;
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}${path}`, { headers });
  return new Promise((resolve) => {
    socket.on('error', () => undefined);
    socket.once('open', () => {
      socket.close();
      resolve([101, '']);
    });
    socket.once('unexpected-response', (_, response) => {
      let body = '';
      response.on('data', (part: Buffer) => (body += part.toString()));
      response.on('end', () => resolve([response.statusCode ?? 0, body]));
    });
  });
}
const fetchStatus = async (server: TestServer, headers: Record<string, string>): Promise<number> =>
  (await upgrade(server, headers))[0];

describe('with a public https address', () => {
  let server: TestServer;
  beforeAll(async () => {
    const env = {
      SITE_URL: 'https://studio.example.com',
      REALTIME_ORIGINS: 'https://App.Example.com, capacitor://localhost',
    };
    server = await startTestServer({ env });
  });
  afterAll(() => server.close());

  test.each(FOREIGN)('a page of %s is refused with 403', async (origin) => {
    expect(await upgrade(server, { origin })).toEqual([
      403,
      '{"error":"Pages of this origin are not allowed to connect"}',
    ]);
  });

  test.each(['https://studio.example.com', 'https://app.example.com', 'capacitor://localhost'])(
    'a page of %s may connect, which is the site or in the setting',
    async (origin) => {
      expect(await fetchStatus(server, { origin })).toBe(101);
    },
  );

  test('neither the host of the request nor another protocol or port of the site allows an origin', async () => {
    expect(await fetchStatus(server, { origin: 'https://evil.example', host: 'evil.example' })).toBe(403);
    expect(await fetchStatus(server, { origin: 'http://studio.example.com' })).toBe(403);
    expect(await fetchStatus(server, { origin: 'https://studio.example.com:8443' })).toBe(403);
  });

  test('a program without an origin may connect', async () => {
    expect(await fetchStatus(server, {})).toBe(101);
  });
});

describe('without https', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer();
  });
  afterAll(() => server.close());

  test('a page of the host that the request names may connect, and no other', async () => {
    expect(await fetchStatus(server, { origin: 'http://192.168.1.7:3000', host: '192.168.1.7:3000' })).toBe(101);
    expect(await fetchStatus(server, { origin: 'http://192.168.1.7:3001', host: '192.168.1.7:3000' })).toBe(403);
    for (const origin of FOREIGN) expect(await fetchStatus(server, { origin })).toBe(403);
  });
});

test('an asterisk in the setting allows all pages', async () => {
  const server = await startTestServer({ env: { SITE_URL: 'https://studio.example.com', REALTIME_ORIGINS: '*' } });
  for (const origin of FOREIGN) expect(await fetchStatus(server, { origin })).toBe(101);
  await server.close();
});
