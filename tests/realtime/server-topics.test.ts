import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines } from '#tests/support/engines.ts';
import { STUDIO_A, type TestServer } from '#tests/support/test-server.ts';
import { connectRealtime, type RealtimeClient } from './client.ts';

const TOPIC = `studio:${STUDIO_A}`;

/** Pages reread the hours of a room when its public topic sends a message. */
describe.each(engines)('the public topic of a room on the $name database', (engine) => {
  let server: TestServer;
  let listener: RealtimeClient;
  let person: string;
  beforeAll(async () => {
    server = await engine.open();
    person = (await server.addCustomer()).token;
    listener = await connectRealtime(server.url, server.app.keys.anonKey, '1.0.0');
    for (const name of [TOPIC, 'studio', 'lobby']) await listener.join(name, { presence: { key: 'listener' } });
  }, 120_000);
  afterAll(async () => {
    listener.close();
    await server.close();
  });

  const heard = (): unknown[] =>
    listener.frames.flatMap(({ event, topic, payload }) =>
      event === 'broadcast' || event === 'presence_diff'
        ? [`${topic.replace(/^realtime:/, '')} ${typeof payload['event'] === 'string' ? payload['event'] : event}`]
        : [],
    );
  const post = (path: string, body: object, token: string) =>
    fetch(`${server.url}/realtime/v1/api/broadcast${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const batch = (event: string, token: string) =>
    post('', { messages: [TOPIC, 'lobby'].map((topic) => ({ topic, event, payload: {} })) }, token);

  test.each(['a guest', 'a customer'])('%s sends nothing there, and to other public topics as before', async (who) => {
    const token = who === 'a guest' ? server.app.keys.anonKey : person;
    const sender = await connectRealtime(server.url, server.app.keys.anonKey);
    for (const name of [TOPIC, 'lobby']) {
      const { ref } = await sender.join(name, { broadcast: { ack: true } }, who === 'a guest' ? undefined : person);
      sender.send(ref, `b-${name}`, `realtime:${name}`, 'broadcast', {
        type: 'broadcast',
        event: `socket ${who}`,
        payload: {},
      });
      sender.send(ref, `p-${name}`, `realtime:${name}`, 'presence', { event: 'track', payload: { who } });
    }
    expect((await sender.frame(({ ref }) => ref === `p-${TOPIC}`)).payload['status']).toBe('error');
    expect((await batch(`batch ${who}`, token)).status).toBe(202);
    expect((await post(`/${encodeURIComponent(TOPIC)}/events/alone`, {}, token)).status).toBe(403);
    await expect
      .poll(() => heard().filter((message) => String(message).startsWith('lobby')))
      .toContain(`lobby batch ${who}`);
    await expect.poll(heard).toContain(`lobby socket ${who}`);
    // Any message sent before these would have arrived before them.
    expect(heard().filter((message) => String(message).startsWith(TOPIC))).toEqual([]);
    sender.close();
  });

  test('the service key and the database send there', async () => {
    const key = server.app.keys.serviceRoleKey;
    expect((await batch('of the service', key)).status).toBe(202);
    expect((await post(`/${encodeURIComponent(TOPIC)}/events/alone`, {}, key)).status).toBe(202);
    await server.app.db.query(`select realtime.send('{}', 'of the database', $1, false)`, [TOPIC]);
    for (const event of ['of the service', 'alone', 'of the database'])
      await expect.poll(heard).toContain(`${TOPIC} ${event}`);
  });
});
