import { generateKeyPair, SignJWT } from 'jose';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { runScript } from '#tests/support/schema.ts';
import { startTestServer, type TestServer } from '#tests/support/test-server.ts';
import { connectRealtime, type RealtimeClient, refusedUpgrade } from './client.ts';

const SECRET = 'a secret of at least thirty-two characters';
const LATER = 4_000_000_000;
let server: TestServer;
let person: { readonly id: string; readonly token: string };
const clients: RealtimeClient[] = [];

beforeAll(async () => {
  server = await startTestServer({ env: { JWT_SECRET: SECRET, REALTIME_JOINS_PER_SECOND: '1000' } });
  await runScript(
    server,
    `create policy tokens_read on realtime.messages for select to authenticated using (realtime.topic() = 'own ' || auth.uid());

     create policy tokens_write on realtime.messages for insert to authenticated with check (realtime.topic() = 'own ' || auth.uid());

     create policy presence_only on realtime.messages for select to anon using (realtime.topic() = 'lobby' and extension = 'presence');

     create policy presence_write on realtime.messages for insert to anon with check (realtime.topic() in ('lobby', 'both') and extension = 'presence');

     create policy both_read on realtime.messages for select to anon using (realtime.topic() = 'both');`,
  );
  person = await server.addCustomer();
});
afterAll(() => server.close());
afterEach(() => {
  for (const client of clients.splice(0)) client.close();
});

async function connect(vsn: '1.0.0' | '2.0.0' = '2.0.0', key = server.app.keys.anonKey): Promise<RealtimeClient> {
  const client = await connectRealtime(server.url, key, vsn);
  clients.push(client);
  return client;
}
const signed = (claims: Record<string, unknown>, header: Record<string, string> = {}): Promise<string> =>
  new SignJWT(claims).setProtectedHeader({ alg: 'HS256', ...header }).sign(new TextEncoder().encode(SECRET));
const getReason = (reply: { readonly payload: Record<string, unknown> }): unknown =>
  Object(reply.payload['response']).reason;

describe('a token is refused at the handshake and at a join with the reason', () => {
  const texts: readonly [string, () => Promise<string>, string, string][] = [
    [
      'three parts that are no JSON',
      () => Promise.resolve('a.b.c'),
      'MalformedJWT',
      'The token provided is not a valid JWT',
    ],
    [
      'an issue time that is no number',
      () => signed({ role: 'anon', exp: LATER, iat: 'x' }),
      'MalformedJWT',
      'The token provided is not a valid JWT',
    ],
    ['no role', () => signed({ exp: LATER }), 'InvalidJWTToken', 'Fields `role` and `exp` are required in JWT'],
    ['no expiry', () => signed({ role: 'anon' }), 'InvalidJWTToken', 'Fields `role` and `exp` are required in JWT'],
    [
      'another signature',
      async () => `${(await signed({ role: 'anon', exp: LATER })).slice(0, -4)}AAAA`,
      'JwtSignatureError',
      'Failed to validate JWT signature',
    ],
    [
      'an unknown key id',
      () => signedByStranger('k1'),
      'JwtSignerError',
      'Failed to generate JWT signer for key ID (kid) "k1", check your JWT secret or JWKS configuration',
    ],
    [
      'an unknown algorithm',
      () => signedWith512(),
      'JwtSignerError',
      'Failed to generate JWT signer, check your JWT secret or JWKS configuration',
    ],
  ];
  test.each(texts)('%s', async (_name, make, code, text) => {
    const token = await make();
    expect(await refusedUpgrade(server.url, `/realtime/v1/websocket?apikey=${token}`)).toEqual({
      status: 401,
      body: { error: text },
    });
    expect(getReason(await (await connect()).join('a', {}, token))).toBe(`${code}: ${text}`);
  });

  test('an expired one, with the seconds only at a join', async () => {
    const token = await signed({ role: 'anon', exp: Math.floor(server.now().getTime() / 1000) - 61.5 });
    expect((await refusedUpgrade(server.url, `/realtime/v1/websocket?apikey=${token}`)).body).toEqual({
      error: 'Token has expired',
    });
    expect(getReason(await (await connect()).join('a', {}, token))).toMatch(
      /^InvalidJWTToken: Token has expired 6\d seconds ago$/,
    );
  });

  test('an expiry that is no number', async () => {
    const token = await signed({ role: 'anon', exp: 'soon' }).catch(() => forged({ role: 'anon', exp: 'soon' }));
    expect(getReason(await (await connect()).join('a', {}, token))).toBe(
      'InvalidJWTToken: Token expiration time is invalid',
    );
  });
});

test('tokens of the shared secret (HS256, with any key id) and of the own key pair (ES256) are accepted; the header beats the query, and white space is dropped', async () => {
  const decimal = await signed({ role: 'anon', exp: LATER + 0.5, iat: 1.5 }, { kid: 'any' });
  for (const token of [decimal, person.token])
    expect((await (await connect()).join('a', {}, token)).payload['status']).toBe('ok');
  expect((await (await connect('2.0.0', `%20${server.app.keys.anonKey}%0A`)).join('a')).payload['status']).toBe('ok');
  expect(
    (await (await connect('1.0.0', `${server.app.keys.anonKey}&log_level=info&unknown=1`)).join('a')).payload['status'],
  ).toBe('ok');
});

test('an unknown serializer is refused', async () => {
  const answer = await refusedUpgrade(server.url, `/realtime/v1/websocket?apikey=${server.app.keys.anonKey}&vsn=3.0.0`);
  expect(answer).toEqual({ status: 403, body: { error: 'The requested serializer version is not supported' } });
});

test.each(['sb_publishable_x', '', null])('a join with the token %j is one of the key of its socket', async (token) => {
  const client = await connect();
  client.send('j', 'j', 'realtime:own', 'phx_join', { config: { private: true }, access_token: token });
  expect(getReason(await client.frame(({ ref }) => ref === 'j'))).toBe(
    'Unauthorized: You do not have permissions to read from this Channel topic: own',
  );
  expect((await client.join('a')).payload['status']).toBe('ok');
});

test('a new token is taken without an answer; the unchanged one and one without rights to lose keep the channel', async () => {
  const client = await connect('1.0.0');
  const topic = `own ${person.id}`;
  await client.join(topic, { private: true, broadcast: { ack: true } }, person.token);
  for (const token of [person.token, await renewed()])
    client.send('1', null, `realtime:${topic}`, 'access_token', { access_token: token });
  client.send('1', 'b', `realtime:${topic}`, 'broadcast', { event: 'e' });
  expect((await client.frame(({ ref }) => ref === 'b')).payload).toEqual({ status: 'ok', response: {} });
  expect(client.frames.length).toBe(2);
});

test.each([
  ['no token', () => 'nonsense', 'The token provided is not a valid JWT'],
  ['an expired one', () => signed({ role: 'anon', exp: 1_000 }), /^Token has expired \d+ seconds ago$/],
  ['one without a role', () => signed({ exp: LATER }), 'Fields `role` and `exp` are required in JWT'],
])('a channel ends when its new token is refused: %s', async (_name, make, text) => {
  const client = await connect();
  await client.join('a', {}, person.token);
  client.send('1', null, 'realtime:a', 'access_token', { access_token: await make() });
  const notice = await client.frame(({ event }) => event === 'system');
  expect(notice.payload).toEqual({
    extension: 'system',
    status: 'error',
    message: typeof text === 'string' ? text : expect.stringMatching(text),
    channel: 'a',
  });
  expect(await client.frame(({ event }) => event === 'phx_close')).toMatchObject({
    joinRef: '1',
    ref: '1',
    payload: {},
  });
});

test('the right to presence alone lets in, but neither to broadcasts nor to stored ones', async () => {
  await server.app.db.query(`select realtime.send('{"n":1}', 'e', 'lobby', true)`);
  const client = await connect('1.0.0');
  const config = { private: true, presence: { enabled: true }, broadcast: { replay: { since: 1 } } };
  expect((await client.join('lobby', config)).payload['status']).toBe('ok');
  await client.frame(({ event }) => event === 'presence_state');
  await server.app.db.query(`select realtime.send('{"n":2}', 'e', 'lobby', true)`);
  client.send('1', 't', 'realtime:lobby', 'presence', { event: 'track', payload: {} });
  await client.frame(({ event }) => event === 'presence_diff');
  expect(client.frames.filter(({ event }) => event === 'broadcast')).toEqual([]);
  expect(getReason(await (await connect()).join('lobby', { private: true }))).toMatch(/^Unauthorized/);
});

test('a track on a private channel asks for the right to read presence, and then shows the own diff', async () => {
  const client = await connect();
  await client.join('both', { private: true });
  client.send('1', 't', 'realtime:both', 'presence', { event: 'track', payload: { n: 1 } });
  expect((await client.frame(({ ref }) => ref === 't')).payload).toEqual({ status: 'ok', response: {} });
  await client.frame(({ event }) => event === 'presence_diff');
  expect(client.frames.some(({ event }) => event === 'presence_state')).toBe(false);
});

/** Returns a token of the same account with a later expiry. */
async function renewed(): Promise<string> {
  const claims = JSON.parse(Buffer.from(person.token.split('.')[1] ?? '', 'base64url').toString());
  return signed({ ...claims, exp: claims.exp + 5 });
}

async function signedByStranger(kid: string): Promise<string> {
  const { privateKey } = await generateKeyPair('ES256');
  return new SignJWT({ role: 'service_role', exp: LATER }).setProtectedHeader({ alg: 'ES256', kid }).sign(privateKey);
}

const signedWith512 = (): Promise<string> =>
  new SignJWT({ role: 'anon', exp: LATER })
    .setProtectedHeader({ alg: 'HS512' })
    .sign(new TextEncoder().encode(SECRET.repeat(2)));

const forged = (claims: object): string =>
  ['{"alg":"HS256"}', JSON.stringify(claims), 'x'].map((part) => Buffer.from(part).toString('base64url')).join('.');
