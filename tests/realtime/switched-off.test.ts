import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '#tests/support/test-server.ts';
import { refusedUpgrade } from './client.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ env: { REALTIME: 'false' } });
});
afterAll(() => server.close());

const REFUSAL = { status: 503, body: { error: 'Realtime was disabled for this tenant' } };

test('with REALTIME=false every call and every socket is refused with 503 in the shape of this API, with and without a key', async () => {
  for (const path of ['/api/broadcast', '/api/broadcast/a/events/b', '/api/ping', '/websocket', '/'])
    for (const method of ['GET', 'POST']) {
      const response = await fetch(`${server.url}/realtime/v1${path}`, { method });
      expect({ status: response.status, body: await response.json() }).toEqual(REFUSAL);
    }
  for (const query of ['', `?apikey=${server.app.keys.anonKey}&vsn=2.0.0`])
    expect(await refusedUpgrade(server.url, `/realtime/v1/websocket${query}`)).toEqual(REFUSAL);
});

test('the other APIs work without it', async () => {
  const { error } = await server.client().from('studios').select('id').limit(1);
  expect(error).toBeNull();
});
