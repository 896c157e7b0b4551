import type { SupabaseClient } from '@supabase/supabase-js';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Connection, collect, connect, outcome, subscribed, watchTable } from './channels.ts';
import { type Cluster, startCluster } from './cluster.ts';

const MESSAGES = process.env['TEST_LONG'] ? 500 : 40;
const PAUSES_MS = process.env['TEST_LONG'] ? 120_000 : 3_000;
const LEASE_SECONDS = 2;

describe.runIf(process.env['TEST_POSTGRES_URL'])('three processes on one PostgreSQL', () => {
  let cluster: Cluster;
  const clients: SupabaseClient[] = [];

  beforeAll(async () => {
    cluster = await startCluster(3, { REALTIME_LEASE_SECONDS: String(LEASE_SECONDS) });
    for (const statement of [
      'create table public.news (id bigint generated always as identity primary key, owner uuid)',
      'alter table public.news enable row level security',
      'create policy own on public.news for select to authenticated using (owner = (select auth.uid()))',
      'grant select on public.news to authenticated',
      'alter publication supabase_realtime add table public.news',
      `create policy team_read on realtime.messages for select to authenticated using (realtime.topic() = 'team:' || (select auth.uid()))`,
      `create policy team_write on realtime.messages for insert to authenticated with check (realtime.topic() = 'team:' || (select auth.uid()))`,
    ])
      await cluster.db.query(statement);
  }, 120_000);
  afterAll(() => cluster.close());
  afterEach(async () => {
    for (const client of clients.splice(0)) await client.removeAllChannels();
  });

  async function open(at: Connection, token?: string): Promise<SupabaseClient> {
    const client = await connect(at, token);
    clients.push(client);
    return client;
  }
  /** Opens one client at each process. */
  const openAll = (token?: string): Promise<SupabaseClient[]> =>
    Promise.all([0, 1, 2].map((index) => open(cluster.at(index), token)));

  test(`${MESSAGES} broadcasts of each of two senders, short and long, arrive once and in order at every process`, async () => {
    const channels = (await openAll()).map((client) => client.channel('order'));
    const got = channels.map((channel) => collect(channel, 'n'));
    await Promise.all(channels.map(subscribed));
    const long = 'x'.repeat(20_000);
    for (let n = 0; n < MESSAGES; n += 1)
      for (const sender of [0, 1]) {
        const payload = { sender, n, ...(n % 10 === 3 ? { long } : {}) };
        await channels[sender]?.send({ type: 'broadcast', event: 'n', payload });
      }
    const inOrder = Array.from({ length: MESSAGES }, (_, n) => n);
    const from = (at: number, sender: number): unknown[] =>
      (got[at] ?? []).filter((payload) => payload['sender'] === sender).map(({ n }) => n);
    await expect.poll(() => [from(1, 0), from(2, 0), from(0, 1), from(2, 1)]).toEqual(Array(4).fill(inOrder));
    expect(got[2]?.filter((payload) => String(payload['long']).length === 20_000)).toHaveLength(MESSAGES / 5);
  });

  test('bytes, messages over HTTP and messages of the database reach every process once', async () => {
    const channels = (await openAll()).map((client) => client.channel('kinds'));
    const got = channels.map((channel) => {
      const list: string[] = [];
      for (const event of ['bytes', 'http', 'sql', 'sql-bytes'])
        channel.on('broadcast', { event }, ({ payload }) =>
          list.push(`${event} ${payload instanceof ArrayBuffer ? payload.byteLength : payload.n}`),
        );
      return list;
    });
    await Promise.all(channels.map(subscribed));
    await channels[0]?.send({ type: 'broadcast', event: 'bytes', payload: new Uint8Array(9_000).buffer });
    const outside = (await open(cluster.at(1))).channel('kinds');
    await outside.httpSend('http', { n: 1 });
    await cluster.db.query(
      `select realtime.send(jsonb_build_object('n', 2, 'long', repeat('y', 30000)), 'sql', 'kinds', false),
         realtime.send_binary(decode(repeat('00', 12000), 'hex'), 'sql-bytes', 'kinds', false)`,
    );
    const others = ['http 1', 'sql 2', 'sql-bytes 12000'];
    const all = ['bytes 9000', ...others];
    await expect.poll(() => got.map((list) => list.toSorted())).toEqual([others, all, all]);
  });

  test('presence is the same at every process, for many tabs and for somebody who comes later', async () => {
    const [first, second, third] = await openAll();
    const lobby = (client: SupabaseClient | undefined, key: string, topic = 'lobby') => {
      const channel = client?.channel(topic, { config: { presence: { key } } });
      if (!channel) throw new Error('a client is missing');
      return channel.on('presence', { event: 'sync' }, () => undefined);
    };
    const [anna, annasTab, ben] = [lobby(first, 'anna'), lobby(second, 'anna'), lobby(second, 'ben', 'lobby2')];
    await Promise.all([anna, annasTab, ben].map(subscribed));
    await anna.track({ tab: 1 });
    await annasTab.track({ tab: 2 });
    const late = lobby(third, 'carl');
    await subscribed(late);
    const tabs = (channel: ReturnType<typeof lobby>): unknown =>
      Object.entries(channel.presenceState()).map(([key, metas]) => [
        key,
        metas.map((meta) => Number(Object(meta)['tab'])).toSorted((a, b) => a - b),
      ]);
    for (const channel of [anna, annasTab, late]) await expect.poll(() => tabs(channel)).toEqual([['anna', [1, 2]]]);
    await annasTab.track({ tab: 3 });
    for (const channel of [anna, annasTab, late]) await expect.poll(() => tabs(channel)).toEqual([['anna', [1, 3]]]);
    await annasTab.untrack();
    await anna.unsubscribe();
    await expect.poll(() => tabs(late)).toEqual([]);
    expect(tabs(ben)).toEqual([]);
  });

  test('a private channel carries messages between processes to those alone who may read it', async () => {
    const [owner, other] = [await cluster.addCustomer(), await cluster.addCustomer()];
    const name = `team:${owner.id}`;
    const options = { config: { private: true } };
    const [mine, tab] = [
      (await open(cluster.at(0), owner.token)).channel(name, options),
      (await open(cluster.at(1), owner.token)).channel(name, options),
    ];
    const got = collect(tab, 'secret');
    const publicChannel = (await open(cluster.at(1))).channel(name);
    const leaked = collect(publicChannel, 'secret');
    await Promise.all([mine, tab, publicChannel].map(subscribed));
    const [refused] = await outcome((await open(cluster.at(2), other.token)).channel(name, options));
    expect(refused).toBe('CHANNEL_ERROR');
    await mine.send({ type: 'broadcast', event: 'secret', payload: { n: 1 } });
    await expect.poll(() => got).toEqual([{ n: 1 }]);
    expect(leaked).toEqual([]);
  });

  test('a change of a table reaches its reader at every process once, and nobody else', async () => {
    const [owner, other] = [await cluster.addCustomer(), await cluster.addCustomer()];
    const watchers = [...(await openAll(owner.token)), await open(cluster.at(1), other.token)].map((client) =>
      watchTable(client, 'news', { table: 'news' }),
    );
    await Promise.all(watchers.map(({ ready }) => ready));
    const { rows } = await cluster.db.query<{ id: number }>(
      'insert into public.news (owner) select $1::uuid from generate_series(1, 700) returning id',
      [owner.id],
    );
    const ids = rows.map(({ id }) => id);
    for (const watcher of watchers.slice(0, 3)) await expect.poll(() => watcher.events).toEqual(ids);
    expect(watchers[3]?.events).toEqual([]);
  });

  test('broadcasts that are sent while listening connections are lost arrive once and in order', async () => {
    const channels = (await openAll()).map((client) => client.channel('lost'));
    const got = channels.map((channel) => collect(channel, 'n'));
    await Promise.all(channels.map(subscribed));
    for (let n = 0; n < MESSAGES; n += 1) {
      await channels[0]?.send({ type: 'broadcast', event: 'n', payload: { n } });
      if (n % 20 !== 10) continue;
      await cluster.db.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and query ilike 'listen %'`,
      );
    }
    const inOrder = Array.from({ length: MESSAGES }, (_, n) => n);
    for (const at of [1, 2]) await expect.poll(() => got[at]?.map(({ n }) => n)).toEqual(inOrder);
  });

  test('changes after pauses of any length reach every process', { timeout: 300_000 }, async () => {
    const owner = await cluster.addCustomer();
    const watchers = (await openAll(owner.token)).map((client) => watchTable(client, 'pauses', { table: 'news' }));
    await Promise.all(watchers.map(({ ready }) => ready));
    const ids: number[] = [];
    // A reader goes to sleep after a second without changes.
    for (const end = performance.now() + PAUSES_MS; performance.now() < end;) {
      const row = await cluster.db.queryRow<{ id: number }>(
        'insert into public.news (owner) values ($1::uuid) returning id',
        [owner.id],
      );
      ids.push(row?.id ?? 0);
      await new Promise((done) => setTimeout(done, [0, 5, 200, 990, 1_010][Math.floor(Math.random() * 5)]));
    }
    for (const watcher of watchers) await expect.poll(() => watcher.events).toEqual(ids);
  });

  test('the presence of a killed process leaves everybody once, and nothing of it remains', async () => {
    const [first, second, third] = await openAll();
    const key = (name: string) => ({ config: { presence: { key: name } } });
    const watchers = [first, second].flatMap((client) => client?.channel('crash', key('watcher')) ?? []);
    const leaves = watchers.map((channel) => {
      const list: string[] = [];
      channel.on('presence', { event: 'leave' }, (leave) => void list.push(leave.key));
      return list;
    });
    const killed = third?.channel('crash', key('killed'));
    if (!killed) throw new Error('a client is missing');
    await Promise.all([...watchers, killed].map(subscribed));
    await killed.track({});
    for (const channel of watchers) await expect.poll(() => channel.presenceState()).toHaveProperty('killed');
    third?.realtime.disconnect().catch(() => undefined);
    await cluster.process(2).kill('SIGKILL');
    await expect.poll(() => leaves, { timeout: 20_000 }).toEqual([['killed'], ['killed']]);
    const remains = await cluster.db.queryRow<{ presence: number; processes: number }>(
      `select (select count(*)::int from realtime.presence) as presence, (select count(*)::int from realtime.process) as processes`,
    );
    expect(remains).toEqual({ presence: 0, processes: 2 });
    await cluster.start(2);
    const back = (await open(cluster.at(2))).channel('crash', key('back'));
    await subscribed(back);
    await back.track({});
    for (const channel of watchers) await expect.poll(() => channel.presenceState()).toHaveProperty('back');
    expect(leaves).toEqual([['killed'], ['killed']]);
  });
});
