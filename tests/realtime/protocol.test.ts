import { SignJWT } from 'jose';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { connectRealtime, type RealtimeClient, refusedUpgrade } from './client.ts';
import { runScript } from '#tests/support/schema.ts';
import { startTestServer, type TestServer } from '#tests/support/test-server.ts';

let server: TestServer;
const clients: RealtimeClient[] = [];

beforeAll(async () => {
  server = await startTestServer({
    env: {
      REALTIME_MAX_SOCKETS_PER_ADDRESS: '6',
      REALTIME_MAX_CHANNELS_PER_SOCKET: '3',
      REALTIME_JOINS_PER_SECOND: '1',
      REALTIME_MESSAGES_PER_SECOND: '2',
      REALTIME_MAX_PAYLOAD_BYTES: '1000',
      JWT_SECRET: 'a secret of at least thirty-two characters',
    },
  });
  await runScript(
    server,
    `create policy anyone_reads on realtime.messages for select to anon using (realtime.topic() in ('open', 'read-only'));

     create policy anyone_writes on realtime.messages for insert to anon with check (realtime.topic() = 'open' and extension = 'broadcast');`,
  );
});
afterAll(() => server.close());
afterEach(async () => {
  for (const client of clients.splice(0)) {
    client.close();
    await client.closed;
  }
});

async function connect(): Promise<RealtimeClient> {
  const client = await connectRealtime(server.url, server.app.keys.anonKey);
  clients.push(client);
  return client;
}

const secret = new TextEncoder().encode('a secret of at least thirty-two characters');
const signed = (claims: Record<string, unknown>): Promise<string> =>
  new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(secret);

describe('the handshake is refused as JSON', () => {
  test.each([
    ['without a key', '', 'API key is missing'],
    ['with a key that is no token', 'nonsense', 'The token provided is not a valid JWT'],
  ])('%s', async (_name, key, error) => {
    const answer = await refusedUpgrade(server.url, `/realtime/v1/websocket?apikey=${key}&vsn=2.0.0`);
    expect(answer).toEqual({ status: 401, body: { error } });
  });

  test('with a key of another secret, without a role, and expired', async () => {
    const [head, , mark] = (await signed({ role: 'anon', exp: 4_000_000_000 })).split('.');
    const forged = [head, Buffer.from('{"role":"service_role","exp":4000000000}').toString('base64url'), mark].join(
      '.',
    );
    const keys = [forged, await signed({ exp: 4_000_000_000 }), await signed({ role: 'anon', exp: 1_000 })];
    const answers = await Promise.all(
      keys.map((key) => refusedUpgrade(server.url, `/realtime/v1/websocket?apikey=${key}`)),
    );
    expect(answers.map(({ body }) => body)).toEqual([
      { error: 'Failed to validate JWT signature' },
      { error: 'Fields `role` and `exp` are required in JWT' },
      { error: 'Token has expired' },
    ]);
  });

  test('on another path', async () => {
    const answer = await refusedUpgrade(server.url, `/realtime/v1/other?apikey=${server.app.keys.anonKey}`);
    expect(answer).toEqual({ status: 404, body: { error: 'Not found' } });
  });

  test('when an address has too many sockets, until one is closed', async () => {
    for (let count = 0; count < 6; count += 1) await connect();
    const path = `/realtime/v1/websocket?apikey=${server.app.keys.anonKey}&vsn=2.0.0`;
    expect(await refusedUpgrade(server.url, path)).toEqual({
      status: 429,
      body: { error: 'Too many connected users' },
    });
    clients[0]?.close();
    await clients[0]?.closed;
    await connect();
  });
});

test('a heartbeat is answered with its ref', async () => {
  const client = await connect();
  client.send(null, '7', 'phoenix', 'heartbeat', {});
  const answer = await client.frame(({ topic }) => topic === 'phoenix');
  expect(answer).toMatchObject({
    joinRef: null,
    ref: '7',
    event: 'phx_reply',
    payload: { status: 'ok', response: {} },
  });
});

test('frames of the wrong shape are dropped and the socket lives', async () => {
  const client = await connect();
  for (const data of ['', '{', '[1,2]', 'null', new Uint8Array([3, 255]), new Uint8Array()]) client.sendRaw(data);
  client.send(null, '8', 'phoenix', 'heartbeat', {});
  await client.frame(({ ref }) => ref === '8');
  expect(client.frames.length).toBe(1);
});

test('a message for a topic that was not joined is answered with unmatched topic; leaving it is fine', async () => {
  const client = await connect();
  client.send('1', '2', 'realtime:nowhere', 'broadcast', {});
  expect((await client.frame(({ ref }) => ref === '2')).payload).toEqual({
    status: 'error',
    response: { reason: 'unmatched topic' },
  });
  client.send('1', '3', 'realtime:nowhere', 'phx_leave', {});
  expect((await client.frame(({ ref }) => ref === '3')).payload).toEqual({ status: 'ok', response: {} });
});

test('a second join of a topic closes the first channel with its own ref, and an outdated leave is not answered', async () => {
  const client = await connect();
  await client.join('twice');
  await client.join('twice');
  const closed = await client.frame(({ event }) => event === 'phx_close');
  expect(closed).toMatchObject({ joinRef: '1', ref: '1', topic: 'realtime:twice', payload: {} });
  client.send('1', '8', 'realtime:twice', 'phx_leave', {});
  client.send('2', '9', 'realtime:twice', 'phx_leave', {});
  await client.frame(({ event, ref }) => event === 'phx_close' && ref === '2');
  expect(client.frames.some(({ ref }) => ref === '8')).toBe(false);
});

test.each([
  ['a topic without a name', '', {}, 'TopicNameRequired: You must provide a topic name'],
  [
    'replay on a public channel',
    'a',
    { broadcast: { replay: { since: 1 } } },
    'UnableToReplayMessages: Replay is not allowed for public channels',
  ],
  [
    'replay without a time',
    'open',
    { private: true, broadcast: { replay: {} } },
    'UnableToReplayMessages: Replay params are not valid',
  ],
  [
    'a private channel without a policy',
    'closed',
    { private: true },
    'Unauthorized: You do not have permissions to read from this Channel topic: closed',
  ],
])('a join is refused: %s', async (_name, topic, config, reason) => {
  const client = await connect();
  expect((await client.join(topic, config)).payload).toEqual({ status: 'error', response: { reason } });
});

test.each([
  ['no token', 'nonsense', 'MalformedJWT: The token provided is not a valid JWT'],
  [
    'an expired one',
    { role: 'anon', exp: Math.floor(Date.now() / 1000) - 60 },
    /^InvalidJWTToken: Token has expired \d+ seconds ago$/,
  ],
  ['one without a role', { exp: 4_000_000_000 }, 'InvalidJWTToken: Fields `role` and `exp` are required in JWT'],
])('a join with a wrong token is refused: %s', async (_name, token, reason) => {
  const client = await connect();
  const sent = typeof token === 'string' ? token : await signed(token);
  expect((await client.join('a', {}, sent)).payload).toEqual({
    status: 'error',
    response: { reason: typeof reason === 'string' ? reason : expect.stringMatching(reason) },
  });
});

test('the fourth channel of a socket is refused when three are allowed', async () => {
  const client = await connect();
  for (const name of ['a', 'b', 'c']) expect((await client.join(name)).payload['status']).toBe('ok');
  expect((await client.join('d')).payload).toEqual({
    status: 'error',
    response: { reason: 'ChannelRateLimitReached: Too many channels' },
  });
});

test('a join storm closes the socket', async () => {
  const client = await connect();
  for (let count = 0; count <= 60; count += 1) client.send(String(count), String(count), 'realtime:a', 'phx_join', {});
  expect(await client.closed).toBe(1001);
});

test('too many messages close the channel', async () => {
  const client = await connect();
  await client.join('a');
  for (let count = 0; count < 130; count += 1)
    client.send('1', null, 'realtime:a', 'broadcast', { event: 'e', payload: {} });
  const system = await client.frame(({ event }) => event === 'system');
  expect(system.payload).toMatchObject({ status: 'error', message: 'Too many messages per second' });
  await client.frame(({ event }) => event === 'phx_close');
});

test('a payload over the limit is refused to a sender that asks for an answer', async () => {
  const client = await connect();
  await client.join('a', { broadcast: { ack: true } });
  client.send('1', '5', 'realtime:a', 'broadcast', { event: 'e', payload: { text: 'x'.repeat(2_000) } });
  expect((await client.frame(({ ref }) => ref === '5')).payload).toEqual({
    status: 'error',
    response: { error: 'payload_size_exceeded' },
  });
});

test('the sixth presence call within 30 seconds closes the channel', async () => {
  const client = await connect();
  await client.join('a');
  for (let n = 0; n < 6; n += 1)
    client.send('1', `p${n}`, 'realtime:a', 'presence', { event: 'track', payload: { n } });
  const system = await client.frame(({ event }) => event === 'system');
  expect(system.payload['message']).toBe('Client presence rate limit exceeded');
});

test('without the right to write there is no answer, and nobody gets the message', async () => {
  const [reader, writer] = [await connect(), await connect()];
  await reader.join('read-only', { private: true });
  await reader.join('open', { private: true });
  await writer.join('read-only', { private: true, broadcast: { ack: true } });
  await writer.join('open', { private: true, broadcast: { ack: true } });
  writer.send('1', '3', 'realtime:read-only', 'broadcast', { event: 'e', payload: {} });
  writer.send('1', '4', 'realtime:read-only', 'presence', { event: 'track', payload: {} });
  expect((await writer.frame(({ ref }) => ref === '4')).payload).toEqual({ status: 'error', response: {} });
  writer.send('2', '5', 'realtime:open', 'broadcast', { event: 'e', payload: {} });
  await writer.frame(({ ref }) => ref === '5');
  await reader.frame(({ event }) => event === 'broadcast');
  expect(reader.frames.filter(({ event }) => event === 'broadcast').map(({ topic }) => topic)).toEqual([
    'realtime:open',
  ]);
  expect(writer.frames.some(({ ref }) => ref === '3')).toBe(false);
});

test('a channel ends when its token expires, in a way that makes the client join again', async () => {
  const token = await signed({ role: 'anon', exp: Math.floor(Date.now() / 1000) + 2 });
  const client = await connect();
  await client.join('a', {}, token);
  const system = await client.frame(({ event }) => event === 'system');
  expect(system.payload).toMatchObject({
    status: 'error',
    message: expect.stringMatching(/^Token has expired \d seconds ago$/),
  });
  await client.frame(({ event }) => event === 'phx_error');
});

test('a new token without the right to read closes a private channel', async () => {
  const customer = await server.addCustomer();
  const client = await connect();
  await client.join('open', { private: true });
  client.send('1', null, 'realtime:open', 'access_token', { access_token: customer.token });
  const system = await client.frame(({ event }) => event === 'system');
  expect(system.payload['message']).toBe('You no longer have permission to read from this Channel topic: open');
  await client.frame(({ event }) => event === 'phx_close');
});
