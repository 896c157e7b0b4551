import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { runScript } from '#tests/support/schema.ts';
import { startTestServer, type TestServer } from '#tests/support/test-server.ts';
import { connectRealtime, type RealtimeClient, refusedUpgrade } from './client.ts';

/** Tests every limit at its maximum and at one above it. */
let server: TestServer;
const clients: RealtimeClient[] = [];

beforeAll(async () => {
  server = await startTestServer({
    env: {
      REALTIME_MAX_SOCKETS: '5',
      REALTIME_MAX_SOCKETS_PER_ADDRESS: '4',
      REALTIME_MAX_SOCKETS_PER_ACCOUNT: '2',
      REALTIME_MAX_CHANNELS_PER_SOCKET: '3',
      REALTIME_MAX_BINDINGS_PER_CHANNEL: '2',
      REALTIME_JOINS_PER_SECOND: '1',
      REALTIME_MESSAGES_PER_SECOND: '2',
      REALTIME_ACCOUNT_MESSAGES_PER_SECOND: '1',
      REALTIME_MAX_PAYLOAD_BYTES: '1000',
      REALTIME_MAX_PRESENCE_BYTES: '100',
      REALTIME_MAX_PRESENCE_KEYS: '2',
      TRUSTED_PROXIES: '1',
    },
  });
  await runScript(
    server,
    `create table public.limited (id int primary key);

     grant select on public.limited to anon;

     alter publication supabase_realtime add table public.limited;`,
  );
});
afterAll(() => server.close());
afterEach(async () => {
  for (const client of clients.splice(0)) {
    client.close();
    await client.closed;
  }
});

async function connect(vsn: '1.0.0' | '2.0.0' = '2.0.0'): Promise<RealtimeClient> {
  const client = await connectRealtime(server.url, server.app.keys.anonKey, vsn);
  clients.push(client);
  return client;
}
const getReason = (reply: { readonly payload: Record<string, unknown> }): unknown =>
  Object(reply.payload['response']).reason;

test('the fifth socket of an address is refused, and a closed one makes room', async () => {
  for (let count = 0; count < 4; count += 1) await connect();
  const path = `/realtime/v1/websocket?apikey=${server.app.keys.anonKey}`;
  expect(await refusedUpgrade(server.url, path)).toEqual({ status: 429, body: { error: 'Too many connected users' } });
  clients[0]?.close();
  await clients[0]?.closed;
  await connect();
});

test('an account may have channels on two sockets, and on a third when one has left', async () => {
  const { token } = await server.addCustomer();
  const [first, second, third] = [await connect(), await connect(), await connect()];
  for (const client of [first, first, second])
    expect((await client.join(`a${Math.random()}`, {}, token)).payload['status']).toBe('ok');
  expect(getReason(await third.join('b', {}, token))).toBe('ConnectionRateLimitReached: Too many connected users');
  second.close();
  await second.closed;
  await expect.poll(async () => (await third.join('b', {}, token)).payload['status'], { interval: 100 }).toBe('ok');
});

test('a socket may have three channels', async () => {
  const client = await connect();
  for (const name of ['a', 'b', 'c']) expect((await client.join(name)).payload['status']).toBe('ok');
  expect(getReason(await client.join('d'))).toBe('ChannelRateLimitReached: Too many channels');
  client.send('1', 'l', 'realtime:a', 'phx_leave', {});
  await client.frame(({ ref }) => ref === 'l');
  expect((await client.join('d')).payload['status']).toBe('ok');
});

test('a socket may join sixty times in a minute; the next join is refused and closes it', async () => {
  const client = await connect();
  for (let count = 0; count < 60; count += 1) client.send('1', `j${count}`, 'realtime:a', 'phx_join', {});
  expect((await client.frame(({ ref }) => ref === 'j59')).payload['status']).toBe('ok');
  client.send('1', 'j60', 'realtime:a', 'phx_join', {});
  expect(getReason(await client.frame(({ ref }) => ref === 'j60'))).toBe(
    'ClientJoinRateLimitReached: Too many joins per second',
  );
  expect(await client.closed).toBe(1001);
});

test('a socket may send 120 messages in a minute; the next one closes the channel', async () => {
  const client = await connect();
  await client.join('a', { broadcast: { ack: true } });
  for (let count = 0; count < 119; count += 1) client.send('1', `m${count}`, 'realtime:a', 'broadcast', { event: 'e' });
  await client.frame(({ ref }) => ref === 'm118');
  expect(client.frames.some(({ event }) => event === 'system')).toBe(false);
  client.send('1', 'm119', 'realtime:a', 'broadcast', { event: 'e' });
  const notice = await client.frame(({ event }) => event === 'system');
  expect(notice.payload).toEqual({
    extension: 'system',
    status: 'error',
    message: 'Too many messages per second',
    channel: 'a',
  });
  await client.frame(({ event }) => event === 'phx_close');
});

test('an account may send sixty messages in a minute on all its sockets together', async () => {
  const { token } = await server.addCustomer();
  const [first, second] = [await connect(), await connect()];
  for (const client of [first, second]) await client.join('a', { broadcast: { ack: true } }, token);
  for (let count = 0; count < 30; count += 1)
    for (const client of [first, second]) client.send('1', `m${count}`, 'realtime:a', 'broadcast', { event: 'e' });
  for (const client of [first, second]) await client.frame(({ ref }) => ref === 'm29');
  expect([...first.frames, ...second.frames].some(({ event }) => event === 'system')).toBe(false);
  second.send('1', 'm30', 'realtime:a', 'broadcast', { event: 'e' });
  expect((await second.frame(({ event }) => event === 'system')).payload['message']).toBe(
    'Too many messages per second',
  );
});

test.each(['1.0.0', '2.0.0'] as const)(
  'a payload of 1000 bytes is acknowledged and one of 1001 refused, with serializer %s',
  async (vsn) => {
    const client = await connect(vsn);
    await client.join('a', { broadcast: { ack: true } });
    const payload = (size: number): object => ({
      event: 'e',
      payload: 'x'.repeat(size - '{"event":"e","payload":""}'.length),
    });
    client.send('1', 'fits', 'realtime:a', 'broadcast', payload(1_000));
    client.send('1', 'over', 'realtime:a', 'broadcast', payload(1_001));
    expect((await client.frame(({ ref }) => ref === 'fits')).payload).toEqual({ status: 'ok', response: {} });
    expect((await client.frame(({ ref }) => ref === 'over')).payload).toEqual({
      status: 'error',
      response: { error: 'payload_size_exceeded' },
    });
  },
);

test('without an acknowledgement a payload over the limit disappears without an answer', async () => {
  const client = await connect('1.0.0');
  await client.join('a', { broadcast: { self: true } });
  client.send('1', 'over', 'realtime:a', 'broadcast', { event: 'e', payload: 'x'.repeat(1_000) });
  client.send('1', 'fits', 'realtime:a', 'broadcast', { event: 'e', payload: 1 });
  await client.frame(({ event }) => event === 'broadcast');
  expect(client.frames.filter(({ event }) => event !== 'phx_reply').length).toBe(1);
  expect(client.frames.some(({ ref }) => ref === 'over')).toBe(false);
});

test('a presence payload of 100 bytes is tracked; one of 101 closes the channel', async () => {
  const client = await connect();
  await client.join('a');
  const state = (size: number): object => ({ event: 'track', payload: { a: 'x'.repeat(size - '{"a":""}'.length) } });
  client.send('1', 'fits', 'realtime:a', 'presence', state(100));
  expect((await client.frame(({ ref }) => ref === 'fits')).payload['status']).toBe('ok');
  client.send('1', 'over', 'realtime:a', 'presence', state(101));
  expect((await client.frame(({ event }) => event === 'system')).payload['message']).toBe(
    'Track message size exceeded',
  );
  await client.frame(({ event }) => event === 'phx_close');
});

test('a topic may have two presence keys; a second entry of a known key is no third', async () => {
  const [first, second, third] = [await connect(), await connect(), await connect()];
  const track = async (client: RealtimeClient, key: string): Promise<unknown> => {
    const ref = (await client.join('keys', { presence: { key } })).ref;
    client.send(ref, `t${ref}`, 'realtime:keys', 'presence', { event: 'track', payload: {} });
    return (await client.frame((frame) => frame.ref === `t${ref}`)).payload;
  };
  expect(await track(first, 'anna')).toMatchObject({ status: 'ok' });
  expect(await track(second, 'ben')).toMatchObject({ status: 'ok' });
  expect(await track(third, 'carl')).toEqual({
    status: 'error',
    response: { reason: 'Too many presence keys on this channel' },
  });
  expect(await track(third, 'ben')).toMatchObject({ status: 'ok' });
});

test('a channel may call presence five times in 30 seconds, and again when they have passed', async () => {
  const client = await connect();
  await client.join('a');
  const track = async (n: number): Promise<unknown> => {
    client.send('1', `p${n}`, 'realtime:a', 'presence', { event: 'track', payload: { n } });
    return (await client.frame(({ ref, event }) => ref === `p${n}` || event === 'system')).payload['status'];
  };
  for (let n = 0; n < 5; n += 1) expect(await track(n)).toBe('ok');
  server.advance(33_000);
  for (let n = 5; n < 10; n += 1) expect(await track(n)).toBe('ok');
  client.send('1', 'p10', 'realtime:a', 'presence', { event: 'track', payload: {} });
  expect((await client.frame(({ event }) => event === 'system')).payload['message']).toBe(
    'Client presence rate limit exceeded',
  );
  await client.frame(({ event }) => event === 'phx_close');
});

test('a channel may have two table subscriptions; with three none of them is active, and the channel lives', async () => {
  const client = await connect();
  const binding = { event: '*', schema: 'public', table: 'limited' };
  await client.join('two', { postgres_changes: [binding, binding] });
  expect((await client.frame(({ event }) => event === 'system')).payload).toMatchObject({
    status: 'ok',
    channel: 'two',
  });
  await client.join('three', { postgres_changes: [binding, binding, binding] });
  const notice = await client.frame(({ event, payload }) => event === 'system' && payload['channel'] === 'three');
  expect(notice.payload).toMatchObject({
    extension: 'postgres_changes',
    status: 'error',
    message: 'Too many table subscriptions on this channel. Maximum 2',
  });
});

test('a join that a limit or its own token refuses asks for no policy', async () => {
  const { token } = await server.addCustomer();
  const [first, second, third] = [await connect(), await connect(), await connect()];
  for (const client of [first, second]) await client.join('a', {}, token);
  const queries = countQueries(server);
  await third.join('private', { private: true, broadcast: { replay: { since: 1 } } }, token);
  await third.join('a', { broadcast: { replay: { since: 1 } } }, token);
  await third.join('a', {}, 'a.b.c');
  expect(queries()).toBe(0);
});

/** Returns a counter of the statements that run as a caller from now on. */
function countQueries({ app }: TestServer): () => number {
  const { db } = app;
  let count = 0;
  const original = db.as.bind(db);
  Object.assign(db, {
    as: (...args: Parameters<typeof original>) => {
      count += 1;
      return original(...args);
    },
  });
  return () => count;
}
