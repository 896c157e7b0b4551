import { createClient, type RealtimeChannel, type SupabaseClient } from '@supabase/supabase-js';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { engines } from '#tests/support/engines.ts';
import { runScript } from '#tests/support/schema.ts';
import type { TestServer } from '#tests/support/test-server.ts';

describe.each(engines)('/realtime/v1 with supabase-js on the $name database', (engine) => {
  let server: TestServer;
  const clients: SupabaseClient[] = [];

  beforeAll(async () => {
    server = await engine.open();
    await runScript(
      server,
      `create table public.todos (id bigint generated always as identity primary key, owner uuid, details text, amount numeric, done boolean);

       alter table public.todos enable row level security;

       create policy todos_own on public.todos for select to authenticated using (owner = (select auth.uid()));

       create policy todos_open on public.todos for select to anon using (owner is null);

       grant select on public.todos to anon, authenticated;

       grant all on public.todos to service_role, backend;

       alter publication supabase_realtime add table public.todos;

       create policy channel_read on realtime.messages for select to authenticated using (realtime.topic() like '%channel%');

       create policy channel_write on realtime.messages for insert to authenticated with check (realtime.topic() like '%channel%');`,
    );
  });
  afterAll(() => server.close());
  afterEach(async () => {
    for (const client of clients.splice(0)) await client.removeAllChannels();
  });

  function connect(vsn: '1.0.0' | '2.0.0', token?: string): SupabaseClient {
    const client = createClient(server.url, server.app.keys.anonKey, {
      auth: { persistSession: false, autoRefreshToken: false },
      realtime: { vsn },
      ...(token === undefined ? {} : { accessToken: () => Promise.resolve(token) }),
    });
    clients.push(client);
    return client;
  }

  /** Returns a signed-in client. Without setAuth, its first join may go out before the token is known. */
  async function connectAs(vsn: '1.0.0' | '2.0.0', token: string): Promise<SupabaseClient> {
    const client = connect(vsn, token);
    await client.realtime.setAuth();
    return client;
  }

  describe.each(['1.0.0', '2.0.0'] as const)('serializer %s', (vsn) => {
    test('a broadcast reaches the other members of a public channel, and its sender only with `self`', async () => {
      const [sender, receiver] = [connect(vsn).channel('news'), connect(vsn).channel('news')];
      const echo = connect(vsn).channel('news', { config: { broadcast: { self: true } } });
      const got = [sender, receiver, echo].map((channel) => collect(channel, 'hello'));
      await Promise.all([sender, receiver, echo].map(subscribed));
      expect(await sender.send({ type: 'broadcast', event: 'hello', payload: { n: 1 } })).toBe('ok');
      expect(await echo.send({ type: 'broadcast', event: 'hello', payload: { n: 2 } })).toBe('ok');
      await expect.poll(() => got.map((list) => list.map(({ n }) => n))).toEqual([[2], [1, 2], [1, 2]]);
    });

    test('an acknowledged broadcast is answered', async () => {
      const channel = connect(vsn).channel('acks', { config: { broadcast: { ack: true } } });
      await subscribed(channel);
      expect(await channel.send({ type: 'broadcast', event: 'x', payload: {} })).toBe('ok');
    });

    test('presence shows who is there, their updates and their leaving', async () => {
      const [first, second] = ['anna', 'ben'].map((key) =>
        connect(vsn).channel('lobby', { config: { presence: { key } } }),
      );
      if (!first || !second) throw new Error('two channels are needed');
      const leaves: string[] = [];
      first.on('presence', { event: 'sync' }, () => undefined);
      first.on('presence', { event: 'leave' }, ({ key }) => void leaves.push(key));
      second.on('presence', { event: 'sync' }, () => undefined);
      await Promise.all([subscribed(first), subscribed(second)]);
      expect(await first.track({ step: 1 })).toBe('ok');
      expect(await second.track({ step: 1 })).toBe('ok');
      await expect.poll(() => Object.keys(first.presenceState()).toSorted()).toEqual(['anna', 'ben']);
      expect(await second.track({ step: 2 })).toBe('ok');
      await expect.poll(() => first.presenceState()['ben']).toEqual([expect.objectContaining({ step: 2 })]);
      await second.unsubscribe();
      await expect.poll(() => Object.keys(first.presenceState())).toEqual(['anna']);
      expect(leaves).toContain('ben');
    });

    test('a private channel needs a policy that lets the caller read', async () => {
      const customer = await server.addCustomer();
      const allowed = (await connectAs(vsn, customer.token)).channel('my-channel', { config: { private: true } });
      const got = collect(allowed, 'hello');
      await subscribed(allowed);
      const refused = await outcome(
        (await connectAs(vsn, customer.token)).channel('other', { config: { private: true } }),
      );
      expect(refused).toEqual([
        'CHANNEL_ERROR',
        'Unauthorized: You do not have permissions to read from this Channel topic: other',
      ]);
      const guest = await outcome(connect(vsn).channel('my-channel', { config: { private: true } }));
      expect(guest[0]).toBe('CHANNEL_ERROR');
      await server.app.db.query(`select realtime.send('{"n": 7}', 'hello', 'my-channel', true)`);
      await expect.poll(() => got).toEqual([expect.objectContaining({ n: 7 })]);
    });

    test('table changes reach those who may see the row, before and after the change [spec 7.14]', async () => {
      const [owner, other] = [await server.addCustomer(), await server.addCustomer()];
      const mine = (await connectAs(vsn, owner.token)).channel('changes-mine');
      const theirs = (await connectAs(vsn, other.token)).channel('changes-theirs');
      const lists = [mine, theirs].map(collectChanges);
      await Promise.all([mine, theirs].map(subscribedToChanges));
      await server.app.db.query(
        `insert into public.todos (owner, details, amount) values ($1::uuid, 'write tests', 12345678901234567890.5)`,
        [owner.id],
      );
      await server.app.db.query(`update public.todos set done = true where owner = $1::uuid`, [owner.id]);
      await server.app.db.query(`delete from public.todos where owner = $1::uuid`, [owner.id]);
      await expect.poll(() => lists[0]?.map(({ eventType }) => eventType)).toEqual(['INSERT', 'UPDATE', 'DELETE']);
      expect(lists[0]?.[0]?.new).toMatchObject({ details: 'write tests', owner: owner.id, done: null });
      expect(lists[0]?.[2]?.old).toEqual({ id: expect.any(Number) });
      expect(lists[1]).toEqual([]);
    });

    test('a filter lets only matching rows through', async () => {
      const channel = connect(vsn).channel('filtered');
      const got: string[] = [];
      channel.on(
        'postgres_changes',
        { event: 'INSERT', schema: 'public', table: 'todos', filter: 'details=eq.wanted' },
        (change) => void got.push(`eq ${change.new['details']}`),
      );
      channel.on(
        'postgres_changes',
        { event: '*', schema: 'public', table: 'todos', filter: 'amount=gte.10,details=not.like.%25' },
        (change) => void got.push(`gte ${change.eventType}`),
      );
      await subscribedToChanges(channel);
      await server.app.db.query(
        `insert into public.todos (details, amount) values ('wanted', 1), ('other', 9), ('other', 10)`,
      );
      await expect.poll(() => got).toEqual(['eq wanted', 'gte INSERT']);
    });
  });

  test('bytes travel unchanged between 2.0.0 clients', async () => {
    const [sender, receiver] = [connect('2.0.0').channel('bytes'), connect('2.0.0').channel('bytes')];
    const got: unknown[] = [];
    receiver.on('broadcast', { event: 'raw' }, ({ payload }) => void got.push(payload));
    await Promise.all([subscribed(sender), subscribed(receiver)]);
    await sender.send({ type: 'broadcast', event: 'raw', payload: new Uint8Array([1, 2, 255]).buffer });
    await expect.poll(() => got.length).toBe(1);
    expect(got[0] instanceof ArrayBuffer && [...new Uint8Array(got[0])]).toEqual([1, 2, 255]);
  });

  test('stored messages are sent again at a join, oldest first', async () => {
    const since = Date.now() - 1_000;
    for (const n of [1, 2, 3])
      await server.app.db.query(`select realtime.send($1::jsonb, 'again', 'replay-channel', true)`, [{ n }]);
    const customer = await server.addCustomer();
    const client = await connectAs('2.0.0', customer.token);
    const channel = client.channel('replay-channel', {
      config: { private: true, broadcast: { replay: { since, limit: 2 } } },
    });
    const got: unknown[] = [];
    channel.on('broadcast', { event: 'again' }, ({ payload, meta }) => void got.push([payload.n, meta?.replayed]));
    await subscribed(channel);
    await expect
      .poll(() => got)
      .toEqual([
        [2, true],
        [3, true],
      ]);
  });

  test('a sign-out ends the channels of its session', async () => {
    const customer = await server.addCustomer();
    const channel = (await connectAs('2.0.0', customer.token)).channel('session-channel', {
      config: { private: true },
    });
    await subscribed(channel);
    const ended = new Promise((resolve) => channel.on('system', {}, resolve));
    await server.app.db.query('delete from auth.sessions where user_id = $1::uuid', [customer.id]);
    expect(await ended).toMatchObject({ status: 'error' });
  });

  test('a broadcast over HTTP reaches the members', async () => {
    const client = connect('2.0.0');
    const channel = client.channel('http-news');
    const got = collect(channel, 'hello');
    await subscribed(channel);
    const outside = connect('2.0.0').channel('http-news');
    await outside.httpSend('hello', { n: 3 });
    await expect.poll(() => got).toEqual([{ n: 3 }]);
  });
});

const outcome = (channel: RealtimeChannel): Promise<[string, string]> =>
  new Promise((resolve) => channel.subscribe((status, error) => resolve([status, error?.message ?? ''])));

async function subscribed(channel: RealtimeChannel): Promise<void> {
  expect(await outcome(channel)).toEqual(['SUBSCRIBED', '']);
}

async function subscribedToChanges(channel: RealtimeChannel): Promise<void> {
  const ready = new Promise((resolve) => channel.on('system', {}, resolve));
  await subscribed(channel);
  expect(await ready).toMatchObject({ status: 'ok', message: 'Subscribed to PostgreSQL' });
}

function collect(channel: RealtimeChannel, event: string): Record<string, unknown>[] {
  const got: Record<string, unknown>[] = [];
  channel.on('broadcast', { event }, ({ payload }) => void got.push(payload));
  return got;
}

type Change = { eventType: string; new: Record<string, unknown>; old: Record<string, unknown> };

function collectChanges(channel: RealtimeChannel): Change[] {
  const got: Change[] = [];
  channel.on('postgres_changes', { event: '*', schema: 'public', table: 'todos' }, (change) => void got.push(change));
  return got;
}
