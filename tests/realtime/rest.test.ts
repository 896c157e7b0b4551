import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines } from '#tests/support/engines.ts';
import { runScript } from '#tests/support/schema.ts';
import type { TestServer } from '#tests/support/test-server.ts';
import { connectRealtime, type RealtimeClient } from './client.ts';

type Answer = { readonly status: number; readonly body: unknown; readonly headers: Headers };

describe.each(engines)('broadcasts over HTTP on the $name database', (engine) => {
  let server: TestServer;
  let person: { readonly id: string; readonly token: string };
  let listener: RealtimeClient;
  beforeAll(async () => {
    server = await engine.open({
      REALTIME_MAX_PAYLOAD_BYTES: '1000',
      REALTIME_ACCOUNT_MESSAGES_PER_SECOND: '2',
      REALTIME_MAX_BATCH: '3',
    });
    await runScript(
      server,
      `create policy rest_read on realtime.messages for select to authenticated using (realtime.topic() like 'room%');

       create policy rest_write on realtime.messages for insert to authenticated
         with check (realtime.topic() = 'room' and extension = 'broadcast');

       create policy rest_keep on realtime.messages for insert to authenticated
         with check (realtime.topic() = 'room kept' and extension in ('broadcast', 'persistence'));`,
    );
    person = await server.addCustomer();
    listener = await connectRealtime(server.url, server.app.keys.anonKey, '1.0.0');
    for (const name of ['room', 'room kept', 'room read-only'])
      await listener.join(name, { private: true }, person.token);
    for (const name of ['public', 'with / and %']) await listener.join(name);
  });
  afterAll(async () => {
    listener.close();
    await server.close();
  });

  async function post(path: string, body: string | Uint8Array, headers: Record<string, string> = {}): Promise<Answer> {
    const response = await fetch(`${server.url}/realtime/v1/api/broadcast${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${person.token}`, 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : Buffer.from(body),
    });
    const text = await response.text();
    return { status: response.status, body: text === '' ? '' : JSON.parse(text), headers: response.headers };
  }
  /** Sends a request as a new person, so that no call counts towards another's limit. */
  async function postAsNew(
    path: string,
    body: string | Uint8Array,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const { token } = await server.addCustomer();
    return post(path, body, { authorization: `Bearer ${token}`, ...headers });
  }
  const batch = (...messages: unknown[]): string => JSON.stringify({ messages });
  const got = (topic: string): unknown[] =>
    listener.frames.flatMap((frame) =>
      frame.event === 'broadcast' && frame.topic === `realtime:${topic}` ? [frame.payload] : [],
    );

  test('a batch is answered with 202 and reaches its topics; meta has the id of a message that has one', async () => {
    const answer = await postAsNew(
      '',
      batch({ topic: 'public', event: 'a', payload: { n: 1 } }, { topic: 'public', event: 'b', payload: {}, id: 'x1' }),
    );
    expect([answer.status, answer.body]).toEqual([202, '']);
    await expect
      .poll(() => got('public'))
      .toEqual([
        { type: 'broadcast', event: 'a', payload: { n: 1 } },
        { type: 'broadcast', event: 'b', payload: {}, meta: { id: 'x1' } },
      ]);
  });

  test('private messages without the right to send are left out of a batch, which is answered with 202 all the same', async () => {
    const at = (topic: string): object => ({ topic, event: 'e', payload: { topic }, private: true });
    expect((await postAsNew('', batch(at('room read-only'), at('elsewhere'), at('room')))).status).toBe(202);
    await expect.poll(() => got('room').length).toBe(1);
    expect(got('room read-only')).toEqual([]);
  });

  test.each([
    ['no messages', '{}', { messages: ["can't be blank"] }],
    ['an empty list', '{"messages":[]}', { messages: ["can't be blank"] }],
    ['messages that are no list', '{"messages":{}}', { messages: ['is invalid'] }],
    ['a body that is no object', '[1]', { messages: ["can't be blank"] }],
    [
      'one message without a payload, named by its place',
      '{"messages":[{"topic":"public","event":"e"},{"topic":"public","event":"e","payload":{}}]}',
      { messages: [{ payload: ["can't be blank"] }, {}] },
    ],
    [
      'fields of wrong types',
      '{"messages":[{"topic":1,"event":"","payload":[],"private":"x","id":5}]}',
      {
        messages: [
          {
            topic: ['is invalid'],
            event: ["can't be blank"],
            payload: ['is invalid'],
            private: ['is invalid'],
            id: ['is invalid'],
          },
        ],
      },
    ],
  ])('422: %s', async (_name, body, errors) => {
    const answer = await postAsNew('', body);
    expect([answer.status, answer.body]).toEqual([422, { errors }]);
  });

  test('400: broken JSON, in a batch and in a single message', async () => {
    for (const path of ['', '/public/events/e']) {
      const answer = await postAsNew(path, '{');
      expect([answer.status, answer.body]).toEqual([400, { errors: { detail: 'Bad Request' } }]);
    }
  });

  test('401: no token, a broken one and one of a session that has ended; the header apikey serves without a bearer', async () => {
    const ended = await server.addCustomer();
    await server.app.db.query('delete from auth.sessions where user_id = $1::uuid', [ended.id]);
    server.advance(1_000);
    for (const authorization of ['', 'Bearer x', `Bearer ${ended.token}`]) {
      const answer = await post('', batch(), { authorization });
      expect([answer.status, answer.body]).toEqual([401, { message: 'Unauthorized' }]);
    }
    const message = batch({ topic: 'nobody', event: 'e', payload: {} });
    expect((await post('', message, { authorization: '', apikey: server.app.keys.anonKey })).status).toBe(202);
  });

  test('a single message is sent as JSON or bytes, with topic and event percent-decoded, and has no meta', async () => {
    expect((await postAsNew('/with%20%2F%20and%20%25/events/%C3%A9v', '{"n":1}')).status).toBe(202);
    await expect.poll(() => got('with / and %')).toEqual([{ type: 'broadcast', event: 'év', payload: { n: 1 } }]);
    const binary = await connectRealtime(server.url, server.app.keys.anonKey);
    await binary.join('bytes');
    const answer = await postAsNew('/bytes/events/raw', new Uint8Array([1, 255]), {
      'content-type': 'application/octet-stream',
    });
    expect(answer.status).toBe(202);
    await expect.poll(() => binary.binary.length).toBe(1);
    expect(binary.binary[0]).toEqual(
      Buffer.concat([Buffer.from([4, 14, 3, 0, 0]), Buffer.from('realtime:bytesraw'), Buffer.from([1, 255])]),
    );
    binary.close();
  });

  test.each([
    [
      '415: another media type',
      '/public/events/e',
      '<a/>',
      { 'content-type': 'text/xml' },
      415,
      { error: 'Unsupported Media Type. Use application/json or application/octet-stream' },
    ],
    ['422: no object', '/public/events/e', '5', {}, 422, { errors: { payload: ["can't be blank"] } }],
    ['422: no body', '/public/events/e', '', {}, 422, { errors: { payload: ["can't be blank"] } }],
    [
      '422: persist on a public channel',
      '/public/events/e?persist=true',
      '{}',
      {},
      422,
      { errors: { persist: ['can only be used on private channels'] } },
    ],
    [
      '403: a private channel without the right',
      '/elsewhere/events/e?private=true',
      '{}',
      {},
      403,
      { message: 'Unauthorized' },
    ],
    [
      '403: persist without its right',
      '/room/events/e?private=true&persist=true',
      '{}',
      {},
      403,
      { message: 'Unauthorized' },
    ],
    ['202: a private channel with the right', '/room/events/e?private=true', '{}', {}, 202, ''],
    ['202: persist with its right', '/room%20kept/events/e?private=true&persist[ttl]=60', '{"kept":1}', {}, 202, ''],
  ])('%s', async (_name, path, body, headers, status, expected) => {
    const answer = await postAsNew(path, body, headers);
    expect([answer.status, answer.body]).toEqual([status, expected]);
  });

  test('what is persisted over HTTP is stored once, with its end, and is not sent a second time', async () => {
    const before = got('room kept').length;
    await postAsNew('/room%20kept/events/e?private=true&persist[ttl]=600', '{"once":1}');
    const row = await server.app.db.queryRow(
      `select event, payload, private, skip_broadcast, expires_at > now() + interval '9 minutes' as kept
       from realtime.messages where topic = 'room kept' and payload ? 'once'`,
    );
    expect(row).toEqual({ event: 'e', payload: { once: 1 }, private: true, skip_broadcast: true, kept: true });
    await server.app.db.query(`select realtime.send('{"last":1}', 'e', 'room kept', true)`);
    await expect.poll(() => got('room kept').length).toBe(before + 2);
  });

  test('a payload of the limit is sent and one byte more is refused, in a batch and alone', async () => {
    const payload = (size: number): string => JSON.stringify({ a: 'x'.repeat(size - '{"a":""}'.length) });
    const message = (size: number): string =>
      batch({ topic: 'public', event: 'e', payload: JSON.parse(payload(size)) });
    expect((await postAsNew('/public/events/e', payload(1_000))).status).toBe(202);
    expect((await postAsNew('', message(1_000))).status).toBe(202);
    const single = await postAsNew('/public/events/e', payload(1_001));
    expect([single.status, single.body]).toEqual([422, { errors: { payload: ['Payload size exceeds tenant limit'] } }]);
    const several = await postAsNew('', message(1_001));
    expect([several.status, several.body]).toEqual([
      422,
      { errors: { messages: [{ payload: ['Payload size exceeds tenant limit'] }] } },
    ]);
  });

  test('413: a body over 8 MB, before it is read', async () => {
    const answer = await postAsNew('', 'x'.repeat(8_000_001));
    expect([answer.status, answer.body]).toEqual([413, { message: 'The request is too large' }]);
  });

  test('429: a batch over its limit, one over what is left of the rate, and any call when nothing is left; headers tell the rate', async () => {
    const { token } = await server.addCustomer();
    const headers = { authorization: `Bearer ${token}` };
    const messages = (count: number): string =>
      batch(...Array.from({ length: count }, () => ({ topic: 'nobody', event: 'e', payload: {} })));
    const tooMany = [429, { message: 'Too many messages to broadcast, please reduce the batch size' }];
    const four = await post('', messages(4), headers);
    expect([four.status, four.body]).toEqual(tooMany);
    for (let sent = 0; sent < 117; sent += 3) expect((await post('', messages(3), headers)).status).toBe(202);
    expect((await post('', messages(1), headers)).headers.get('x-rate-limit-remaining')).toBe('1');
    const three = await post('', messages(3), headers);
    expect([three.status, three.body]).toEqual(tooMany);
    const last = await post('', messages(2), headers);
    const rate = ['x-rate-rolling', 'x-rate-limit', 'x-rate-limit-remaining'].map((name) => last.headers.get(name));
    expect([last.status, rate]).toEqual([202, ['2', '2', '0']]);
    for (const path of ['', '/nobody/events/e']) {
      const refused = await post(path, messages(1), headers);
      expect([refused.status, refused.body]).toEqual([429, { message: 'Too many requests' }]);
    }
    server.advance(65_000);
    expect((await post('', messages(1), headers)).status).toBe(202);
  });
});
