import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { engines } from '#tests/support/engines.ts';
import { runScript } from '#tests/support/schema.ts';
import type { TestServer } from '#tests/support/test-server.ts';
import { connectRealtime, type ReceivedFrame, type RealtimeClient } from './client.ts';

describe.each(engines)('channels on the $name database', (engine) => {
  let server: TestServer;
  const clients: RealtimeClient[] = [];
  beforeAll(async () => {
    server = await engine.open({ REALTIME_JOINS_PER_SECOND: '1000' });
    await runScript(
      server,
      `create policy channels_read on realtime.messages for select to anon using (realtime.topic() like 'private%');

       create policy channels_write on realtime.messages for insert to anon with check (realtime.topic() like 'private%');`,
    );
  });
  afterAll(() => server.close());
  afterEach(() => {
    for (const client of clients.splice(0)) client.close();
  });

  async function connect(vsn: '1.0.0' | '2.0.0'): Promise<RealtimeClient> {
    const client = await connectRealtime(server.url, server.app.keys.anonKey, vsn);
    clients.push(client);
    return client;
  }
  const broadcasts = ({ frames }: RealtimeClient): readonly ReceivedFrame[] =>
    frames.filter(({ event }) => event === 'broadcast');

  test.each(['1.0.0', '2.0.0'] as const)(
    'serializer %s: a text broadcast is relayed as it is to both serializers, with neither ref',
    async (vsn) => {
      const [sender, first, two] = [await connect(vsn), await connect('1.0.0'), await connect('2.0.0')];
      for (const client of [sender, first, two]) await client.join('verbatim');
      const payload = { type: 'x', payload: [1, null], more: { ü: true } };
      sender.send('1', null, 'realtime:verbatim', 'broadcast', payload);
      for (const client of [first, two]) {
        const frame = await client.frame(({ event }) => event === 'broadcast');
        expect([frame.payload, frame.ref, frame.joinRef]).toEqual([payload, null, null]);
      }
      for (const odd of [null, 5, 'text', [1]]) sender.send('1', null, 'realtime:verbatim', 'broadcast', odd);
      sender.send('1', null, 'realtime:verbatim', 'broadcast', { last: true });
      await first.frame((frame) => frame.payload['last'] === true);
      // A missing payload is treated as an empty object.
      expect(broadcasts(first).map((frame) => frame.payload)).toEqual([payload, {}, { last: true }]);
      expect(broadcasts(sender)).toEqual([]);
    },
  );

  test('a binary broadcast with JSON reaches 2.0.0 as kind 4 and 1.0.0 as text; its bytes are not shown to 1.0.0', async () => {
    const [sender, first, two] = [await connect('2.0.0'), await connect('1.0.0'), await connect('2.0.0')];
    for (const client of [sender, first, two]) await client.join('kinds');
    const push = (encoding: number, payload: Uint8Array): Buffer =>
      Buffer.concat([Buffer.from([3, 1, 1, 14, 1, 0, encoding]), Buffer.from('11realtime:kindse'), payload]);
    sender.sendRaw(push(0, Buffer.from([0, 255])));
    sender.sendRaw(push(1, Buffer.from('{"n":1}')));
    const frame = await first.frame(({ event }) => event === 'broadcast');
    expect(frame.payload).toEqual({ type: 'broadcast', event: 'e', payload: { n: 1 } });
    await expect.poll(() => two.binary.length).toBe(2);
    const head = (encoding: number): Buffer =>
      Buffer.concat([Buffer.from([4, 14, 1, 0, encoding]), Buffer.from('realtime:kindse')]);
    expect(two.binary).toEqual([
      Buffer.concat([head(0), Buffer.from([0, 255])]),
      Buffer.concat([head(1), Buffer.from('{"n":1}')]),
    ]);
    expect(broadcasts(first).length).toBe(1);
  });

  test('public and private channels of one name share nothing', async () => {
    const [open, closed] = [await connect('1.0.0'), await connect('1.0.0')];
    await open.join('private x', { broadcast: { self: true } });
    await closed.join('private x', { private: true, broadcast: { self: true } });
    for (const [client, from] of [
      [open, 'public'],
      [closed, 'private'],
    ] as const)
      client.send('1', null, 'realtime:private x', 'broadcast', { from });
    for (const [client, from] of [
      [open, 'public'],
      [closed, 'private'],
    ] as const) {
      await client.frame(({ event }) => event === 'broadcast');
      expect(broadcasts(client).map(({ payload }) => payload)).toEqual([{ from }]);
    }
  });

  test.each(['1.0.0', '2.0.0'] as const)(
    'serializer %s: the newest messages since an instant are sent again, oldest first, with the ref of the join; bytes only to 2.0.0',
    async (vsn) => {
      const topic = `private replay ${vsn}`;
      const earlier = await connect(vsn);
      await earlier.join(topic, { private: true });
      await server.app.db.query(`select realtime.send('{"n":0}', 'e', $1, true)`, [topic]);
      const received = (): number => broadcasts(earlier).length + earlier.binary.length;
      await expect.poll(received).toBe(1);
      await new Promise((done) => setTimeout(done, 20));
      const since = Date.now();
      for (const n of [1, 2, 3])
        await server.app.db.query('select realtime.send($1::jsonb, $2, $3, true)', [{ n }, 'e', topic]);
      await server.app.db.query(`select realtime.send_binary('\\x0102', 'b', $1, true)`, [topic]);
      await server.app.db.query(`select realtime.send('{"n":9}', 'e', $1, false)`, [topic]);
      // Wait, because messages still on their way to the joined clients would reach the new client too.
      await expect.poll(received).toBe(vsn === '1.0.0' ? 4 : 5);
      const client = await connect(vsn);
      await client.join(topic, { private: true, broadcast: { replay: { since, limit: 3 } } });
      await expect.poll(() => broadcasts(client).length).toBe(2);
      expect(
        broadcasts(client).map(({ payload, joinRef, ref }) => [
          payload['type'],
          payload['event'],
          Object(payload['payload']).n,
          payload['meta'],
          joinRef,
          ref,
        ]),
      ).toEqual(
        [2, 3].map((n) => [
          'broadcast',
          'e',
          n,
          { replayed: true, id: expect.any(String) },
          vsn === '2.0.0' ? '1' : null,
          null,
        ]),
      );
      await expect.poll(() => client.binary.length).toBe(vsn === '2.0.0' ? 1 : 0);
    },
  );

  test('a message from the database has its id in meta and in its payload, and goes only to its kind of channel', async () => {
    const [open, closed] = [await connect('1.0.0'), await connect('1.0.0')];
    await open.join('private y');
    await closed.join('private y', { private: true, broadcast: { replication_ready: true } });
    const ready = await closed.frame(({ event }) => event === 'system');
    expect(ready.payload).toEqual({
      extension: 'system',
      status: 'ok',
      message: 'Replication connection established',
      channel: 'private y',
    });
    await server.app.db.query(`select realtime.send('{"n":1}', 'made', 'private y', true)`);
    const { payload } = await closed.frame(({ event }) => event === 'broadcast');
    const { id } = Object(payload['meta']);
    expect(payload).toEqual({
      type: 'broadcast',
      event: 'made',
      payload: { n: 1, id },
      meta: { id: expect.stringMatching(/^[\da-f-]{36}$/) },
    });
    await server.app.db.query(`select realtime.send('{"id":"own"}', 'made', 'private y', false)`);
    expect((await open.frame(({ event }) => event === 'broadcast')).payload['payload']).toEqual({ id: 'own' });
  });

  test('realtime.send turns a failure into a warning; broadcast_changes refuses statement level and other operations', async () => {
    await server.app.db.query(`select realtime.send('{}', 'e', null, true)`);
    for (const [operation, level] of [
      ['INSERT', 'STATEMENT'],
      ['TRUNCATE', 'ROW'],
    ])
      await expect(
        server.app.db.query(`select realtime.broadcast_changes('t', 'e', $1, 't', 's', row(1), row(2), $2)`, [
          operation,
          level,
        ]),
      ).rejects.toThrow(/^Failed to process the row: /);
  });

  test.each(['1.0.0', '2.0.0'] as const)('serializer %s: presence as the contract has it', async (vsn) => {
    const [first, second] = [await connect(vsn), await connect(vsn)];
    const topic = `presence ${vsn}`;
    const track = async (client: RealtimeClient, ref: string, event: string, payload?: unknown): Promise<unknown> => {
      client.send('1', ref, `realtime:${topic}`, 'presence', { type: 'presence', event, payload });
      return (await client.frame((frame) => frame.ref === ref && frame.event === 'phx_reply')).payload;
    };
    const ok = { status: 'ok', response: {} };
    const diffs = (client: RealtimeClient): unknown[] =>
      client.frames.flatMap(({ event, payload }) => (event === 'presence_diff' ? [payload] : []));
    await first.join(topic, { presence: { key: 'anna', enabled: 'TRUE' } });
    const state = await first.frame(({ event }) => event === 'presence_state');
    expect([state.payload, state.joinRef, state.ref]).toEqual([{}, vsn === '2.0.0' ? '1' : null, null]);
    expect(await track(first, 'a', 'track', { step: 1 })).toEqual(ok);
    expect(await track(first, 'b', 'TRACK', { step: 1 })).toEqual(ok);
    expect(await track(first, 'c', 'Track', { step: 2 })).toEqual(ok);
    expect(await track(first, 'd', 'track', [1])).toEqual({
      status: 'error',
      response: { reason: 'Presence track payload must be a map' },
    });
    await expect.poll(() => diffs(first).length).toBe(2);
    const ref = expect.any(String);
    expect(diffs(first)).toEqual([
      { joins: { anna: { metas: [{ step: 1, phx_ref: ref }] } }, leaves: {} },
      {
        joins: { anna: { metas: [{ step: 2, phx_ref: ref, phx_ref_prev: ref }] } },
        leaves: { anna: { metas: [{ step: 1, phx_ref: ref }] } },
      },
    ]);
    await second.join(topic, { presence: { key: 'anna' } });
    expect(await track(second, 'e', 'track', {})).toEqual(ok);
    expect(await track(second, 'f', 'dance')).toEqual({ status: 'error', response: {} });
    expect(await track(second, 'g', 'untrack')).toEqual(ok);
    const third = await connect(vsn);
    await third.join(topic, { presence: { enabled: true } });
    expect((await third.frame(({ event }) => event === 'presence_state')).payload).toEqual({
      anna: { metas: [expect.objectContaining({ step: 2 })] },
    });
    first.close();
    await expect
      .poll(() => diffs(third))
      .toEqual([{ joins: {}, leaves: { anna: { metas: [expect.objectContaining({ step: 2 })] } } }]);
    expect(second.frames.some(({ event }) => event === 'presence_state')).toBe(false);
  });

  test('a member without a key gets a new one for each join', async () => {
    const keys: string[] = [];
    for (const key of ['', null]) {
      const client = await connect('2.0.0');
      await client.join('keyless', { presence: { key, enabled: true } });
      client.send('1', 't', 'realtime:keyless', 'presence', { event: 'track', payload: {} });
      const diff = await client.frame(({ event }) => event === 'presence_diff');
      keys.push(...Object.keys(Object(diff.payload['joins'])));
    }
    expect(keys).toEqual([expect.stringMatching(/^[\da-f-]{36}$/), expect.stringMatching(/^[\da-f-]{36}$/)]);
    expect(keys[0]).not.toBe(keys[1]);
  });

  test('a private message is persisted on demand, and acknowledged with its id; without the right it is sent and answered with an error', async () => {
    const [sender, reader] = [await connect('2.0.0'), await connect('1.0.0')];
    for (const client of [sender, reader])
      await client.join('private kept', { private: true, broadcast: { ack: true } });
    const strings = ['1', 'p', 'realtime:private kept', 'e', '{"persist":{"ttl":60}}'];
    sender.sendRaw(
      Buffer.concat([
        Buffer.from([3, ...strings.map((text) => text.length), 1]),
        Buffer.from(`${strings.join('')}{"n":1}`),
      ]),
    );
    const answer = await sender.frame(({ ref }) => ref === 'p');
    expect(answer.payload).toEqual({ status: 'ok', response: { id: expect.any(String) } });
    const row = await server.app.db.queryRow(
      `select extension, private, skip_broadcast, payload from realtime.messages where id = $1::uuid`,
      [Object(answer.payload['response']).id],
    );
    expect(row).toEqual({ extension: 'broadcast', private: true, skip_broadcast: true, payload: { n: 1 } });
    await reader.frame(({ event }) => event === 'broadcast');
    expect(broadcasts(reader).map(({ payload }) => payload)).toEqual([
      { type: 'broadcast', event: 'e', payload: { n: 1 } },
    ]);
  });

  test.each(['phx_join', 'phx_leave', 'broadcast', 'x'])(
    '%s on a topic without the prefix realtime: is unmatched',
    async (event) => {
      const client = await connect('2.0.0');
      client.send('1', 'u', 'other:topic', event, {});
      expect((await client.frame(({ ref }) => ref === 'u')).payload).toEqual({
        status: 'error',
        response: { reason: 'unmatched topic' },
      });
    },
  );
});
