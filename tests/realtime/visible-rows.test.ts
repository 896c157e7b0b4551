import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { engines } from '#tests/support/engines.ts';
import { runScript } from '#tests/support/schema.ts';
import type { TestServer } from '#tests/support/test-server.ts';
import { connectRealtime, type RealtimeClient } from './client.ts';

/** Row policies are prepared once per connection and see only the columns that they name. */
describe.each(engines)('the row policies of table changes on the $name database', (engine) => {
  let server: TestServer;
  let people: { readonly id: string; readonly token: string }[];
  const clients: RealtimeClient[] = [];
  let lastId = 0;
  beforeAll(async () => {
    server = await engine.open({ REALTIME_JOINS_PER_SECOND: '1000' });
    people = await Promise.all([server.addCustomer(), server.addCustomer()]);
    await runScript(
      server,
      `create domain public.seen_code as text not null;

       create table public.seen (id int primary key, owner uuid, "odd ""name" text, code public.seen_code, note text);

       create function public.seen_whole(p_row public.seen) returns boolean language sql stable as $$ select p_row.note = 'yes' $$;

       grant execute on function public.seen_whole(public.seen) to authenticated;

       alter table public.seen enable row level security;

       grant select on public.seen to authenticated;

       grant all on public.seen to service_role, backend;

       create policy seen on public.seen for select to authenticated using (false);

       alter publication supabase_realtime add table public.seen;`,
    );
  });
  afterEach(async () => {
    for (const client of clients.splice(0)) {
      client.close();
      await client.closed;
    }
  });
  afterAll(() => server.close());

  /** Changes the policy and waits until it is in effect. */
  async function usePolicy(condition: string): Promise<void> {
    await runScript(server, `alter policy seen on public.seen using (${condition})`);
    server.advance(1_100);
  }

  async function subscribe(token: string | undefined): Promise<RealtimeClient> {
    const client = await connectRealtime(server.url, server.app.keys.anonKey);
    clients.push(client);
    await client.join('seen', { postgres_changes: [{ event: '*', schema: 'public', table: 'seen' }] }, token);
    await client.frame(({ event, payload }) => event === 'system' && payload['status'] === 'ok');
    return client;
  }

  async function insert(row: { owner?: string | undefined; odd?: string; note?: string }): Promise<number> {
    lastId += 1;
    await server.app.db.query(
      `insert into public.seen (id, owner, "odd ""name", code, note) values ($1::int, $2::uuid, $3, 'c', $4)`,
      [lastId, row.owner ?? null, row.odd ?? null, row.note ?? null],
    );
    return lastId;
  }

  test.each([
    ['a column', "note = (select auth.jwt() ->> 'nothing') or note = 'yes'", { note: 'yes' }, { note: 'no' }],
    [
      'a column whose name needs quotes',
      '"odd ""name" = coalesce((select \'x\'::text), \'y\')',
      { odd: 'x' },
      { odd: 'y' },
    ],
    ['the whole row', 'public.seen_whole(seen.*)', { note: 'yes' }, { note: 'no' }],
    ['a column of a domain', "code = (select 'c'::text) and note = 'yes'", { note: 'yes' }, { note: 'no' }],
  ])('a policy over %s lets exactly its rows through', async (_name, condition, seen, hidden) => {
    await usePolicy(condition);
    const client = await subscribe(people[0]?.token);
    await insert(hidden);
    const first = await insert(seen);
    await insert(hidden);
    const second = await insert(seen);
    await client.frame(({ payload }) => getId(payload) === second);
    expect(getIds(client)).toEqual([first, second]);
  });

  test('a policy that fails for one caller hides its rows from this caller alone', async () => {
    const [failing, other] = people;
    await usePolicy(`1 / (case when (select auth.uid()) = '${failing?.id}' then 0 else 1 end) = 1`);
    const hears = await subscribe(other?.token);
    const hearsNothing = await subscribe(failing?.token);
    const id = await insert({});
    await hears.frame(({ payload }) => getId(payload) === id);
    await usePolicy('owner = (select auth.uid())');
    const own = await insert({ owner: failing?.id });
    await hearsNothing.frame(({ payload }) => getId(payload) === own);
    expect([getIds(hears), getIds(hearsNothing)]).toEqual([[id], [own]]);
  });

  test('a column that is added while somebody listens is sent and may decide', async () => {
    await usePolicy('owner = (select auth.uid())');
    const client = await subscribe(people[0]?.token);
    const before = await insert({ owner: people[0]?.id });
    await client.frame(({ payload }) => getId(payload) === before);
    await runScript(server, 'alter table public.seen add column extra int default 5');
    await usePolicy('extra = 5 and owner = (select auth.uid())');
    const after = await insert({ owner: people[0]?.id });
    const { payload } = await client.frame((frame) => getId(frame.payload) === after);
    expect(payload).toMatchObject({ data: { record: { extra: 5 } } });
  });

  test('a table whose trigger names another oid, as after a restored dump, is captured again', async () => {
    const { db } = server.app;
    await runScript(
      server,
      `create table public.restored (id int primary key);

       alter publication supabase_realtime add table public.restored;`,
    );
    await db.query('select realtime.sync_publication()');
    await runScript(
      server,
      `create sequence realtime.capture_1;

       create or replace trigger realtime_capture after insert or update or delete on public.restored for each row
         when (pg_catalog.pg_sequence_last_value('realtime.capture_1'::regclass) is not null) execute function realtime.capture(1);`,
    );
    const subscriber = randomUUID();
    await db.query(
      `select realtime.subscribe_to_tables($1::uuid, array['public.restored'::regclass::oid], interval '1 minute')`,
      [subscriber],
    );
    await db.query('select realtime.sync_publication()');
    await db.query('insert into public.restored values (1)');
    const captured = await db.queryRow<{ count: number }>(
      `select count(*) as count from realtime.outbox where relation = 'public.restored'::regclass`,
    );
    expect(captured?.count).toBe(1);
    await endSubscription(server, subscriber);
    await runScript(server, 'drop table public.restored');
    await db.query('select realtime.sync_publication()');
  });

  test('a table is captured while a process subscribes to it, and again after it was published anew', async () => {
    const { db } = server.app;
    const isCaptured = async (): Promise<boolean> =>
      (
        await db.queryRow<{ captured: boolean }>(
          `select pg_sequence_last_value(realtime.capture_flag('public.bare'::regclass)::regclass) is not null as captured`,
        )
      )?.captured ?? false;
    const subscriber = randomUUID();
    const add = (): Promise<unknown> =>
      db.query(
        `select realtime.subscribe_to_tables($1::uuid, array['public.bare'::regclass::oid], interval '1 minute')`,
        [subscriber],
      );
    await runScript(
      server,
      `create table public.bare (id int primary key);

       alter publication supabase_realtime add table public.bare;`,
    );
    await db.query('select realtime.sync_publication()');
    expect(await isCaptured()).toBe(false);
    await add();
    expect(await isCaptured()).toBe(true);
    await runScript(server, 'alter publication supabase_realtime drop table public.bare');
    await db.query('select realtime.sync_publication()');
    await runScript(server, 'alter publication supabase_realtime add table public.bare');
    await db.query('select realtime.sync_publication()');
    expect(await isCaptured()).toBe(true);
    await endSubscription(server, subscriber);
    expect(await isCaptured()).toBe(false);
    await runScript(server, 'drop table public.bare');
    await db.query('select realtime.sync_publication()');
    expect(await flagCount(server)).toBe(1);
  });
});

async function endSubscription({ app }: TestServer, process: string): Promise<void> {
  await app.db.query(`update realtime.table_subscription set until = '-infinity' where process = $1::uuid`, [process]);
  await app.db.query('select realtime.end_table_subscriptions()');
}

/** Returns the number of flags of published tables. In these tests only the flag of `public.seen` may remain. */
async function flagCount({ app }: TestServer): Promise<number> {
  const row = await app.db.queryRow<{ count: number }>(
    `select count(*) as count from pg_sequences where schemaname = 'realtime' and sequencename like 'capture\\_%'`,
  );
  return row?.count ?? 0;
}

const getId = (payload: Record<string, unknown>): unknown => Object(Object(payload['data']).record).id;

const getIds = (client: RealtimeClient): unknown[] =>
  client.frames.filter(({ event }) => event === 'postgres_changes').map(({ payload }) => getId(payload));
