import { randomUUID } from 'node:crypto';
import type { SupabaseClient } from '@supabase/supabase-js';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type ChangeFeed, createChanges } from '#server/realtime/changes/changes.ts';
import { type Change, cleanOutbox, currentSnapshot, readSince } from '#server/realtime/changes/outbox.ts';
import { startReader } from '#server/realtime/changes/reader.ts';
import { engines } from '#tests/support/engines.ts';
import { runScript } from '#tests/support/schema.ts';
import type { TestServer } from '#tests/support/test-server.ts';
import { connect, subscribed, type Watcher, watchTable } from './channels.ts';

const ALTERED = 'A table of this subscription was changed, please subscribe again';
const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
let tables = 0;

describe.each(engines.filter(({ name }) => name === 'PostgreSQL'))('transactions and table changes', (engine) => {
  let server: TestServer;
  const clients: SupabaseClient[] = [];
  const writers: pg.Client[] = [];
  beforeAll(async () => {
    server = await engine.open();
  });
  afterAll(() => server.close());
  afterEach(async () => {
    for (const writer of writers.splice(0)) await writer.end();
    for (const client of clients.splice(0)) await client.removeAllChannels();
  });

  /** Creates a new published table, so that there are no earlier subscriptions to it. */
  async function addTable(): Promise<string> {
    const name = `t${(tables += 1)}`;
    await runScript(
      server,
      `create table public.${name} (id int primary key, kind int); grant select on public.${name} to anon;
       grant all on public.${name} to service_role, backend; alter publication supabase_realtime add table public.${name};
       select realtime.sync_publication(); notify pgrst, 'reload schema';`,
    );
    return name;
  }
  async function watch(table: string, filter?: readonly [string, number]): Promise<Watcher> {
    const client = await connect({ url: server.url, anonKey: server.app.keys.anonKey });
    clients.push(client);
    return watchTable(client, `watch-${table}`, { table, ...(filter ? { filter } : {}) });
  }
  /** Returns a connection with an open transaction that has run a statement. */
  async function begin(statement: string, isolation = 'read committed'): Promise<pg.Client> {
    const writer = new pg.Client({ connectionString: server.ownerUrl ?? '' });
    await writer.connect();
    writers.push(writer);
    await writer.query(`begin isolation level ${isolation}`);
    await writer.query(statement);
    return writer;
  }
  const subscribedInDatabase = (table: string): Promise<unknown> =>
    server.app.db.queryRow('select 1 from realtime.table_subscription where relation = $1::regclass', [
      `public.${table}`,
    ]);

  test('a join waits for a transaction that has already written to the table', async () => {
    const table = await addTable();
    const writer = await begin(`insert into public.${table} values (1)`);
    const watcher = await watch(table);
    await expect.poll(() => subscribedInDatabase(table)).not.toBeNull();
    expect(watcher.statuses).toEqual([]);
    await writer.query('commit');
    await watcher.ready;
    expect([...watcher.read, ...watcher.events]).toEqual([1]);
  });

  test('a transaction that writes to another table holds up no join', async () => {
    const [table, other] = [await addTable(), await addTable()];
    const writer = await begin(`insert into public.${other} values (1)`);
    const watcher = await watch(table);
    await watcher.ready;
    await writer.query('commit');
    expect(watcher.statuses).toEqual(['SUBSCRIBED']);
  });

  test('a transaction that writes for longer than a join waits makes the channel join again when it ends', async () => {
    const table = await addTable();
    const writer = await begin(`insert into public.${table} values (1)`);
    const watcher = await watch(table);
    await watcher.ready;
    expect([...watcher.read]).toEqual([]);
    await server.app.db.query(`insert into public.${table} values (2)`);
    await expect.poll(() => watcher.events).toEqual([2]);
    await writer.query('commit');
    await expect
      .poll(() => watcher.statuses, { timeout: 20_000 })
      .toEqual(['SUBSCRIBED', 'CHANNEL_ERROR', 'SUBSCRIBED']);
    await expect.poll(() => [...watcher.read].toSorted((a, b) => a - b)).toEqual([1, 2]);
    expect(watcher.notices).toContain(
      'A transaction that began before the subscription has ended: changes may be missing, please read again',
    );
  });

  test('a transaction that commits late is sent, after later ones that committed before', async () => {
    const table = await addTable();
    const watcher = await watch(table);
    await watcher.ready;
    const late = await begin(`insert into public.${table} values (1)`);
    for (const id of [2, 3]) {
      await server.app.db.query(`insert into public.${table} values (${id})`);
      await expect.poll(() => watcher.events.at(-1)).toBe(id);
    }
    await late.query('commit');
    await expect.poll(() => watcher.events).toEqual([2, 3, 1]);
  });

  test.each(['repeatable read', 'serializable'])(
    'a %s transaction from before the first subscription is sent',
    async (isolation) => {
      const table = await addTable();
      const writer = await begin('select 1 from pg_class limit 1', isolation);
      const watcher = await watch(table);
      await watcher.ready;
      await writer.query(`insert into public.${table} values (1)`);
      await writer.query('commit');
      await expect.poll(() => watcher.events).toEqual([1]);
    },
  );

  test('a change that is older than what is kept is sent when its transaction ends', async () => {
    const table = await addTable();
    const watcher = await watch(table);
    await watcher.ready;
    const late = await begin(`insert into public.${table} values (1)`);
    await server.app.db.query(`insert into public.${table} values (2)`);
    await expect.poll(() => watcher.events).toEqual([2]);
    const kept = async (): Promise<unknown> =>
      (
        await server.app.db.query<{ id: number }>(
          `select (record ->> 'id')::int as id from realtime.outbox where relation = $1::regclass order by id`,
          [`public.${table}`],
        )
      ).rows.map(({ id }) => id);
    await expect
      .poll(async () => {
        // Changes are deleted once a snapshot taken five minutes ago has seen them.
        await server.app.db.query(`insert into public.${table} values ((select max(id) + 1 from public.${table}))`);
        await server.app.db.query(`update realtime.outbox_mark set at = at - interval '10 minutes'`);
        await cleanOutbox(server.app.db);
        return kept();
      })
      .not.toContain(2);
    await late.query('commit');
    await cleanOutbox(server.app.db);
    await expect.poll(() => watcher.events).toContain(1);
    expect(await kept()).toContain(1);
  });

  test('ten minutes after its last subscriber the changes of a table are no longer written down, until somebody comes', async () => {
    const table = await addTable();
    const first = await watch(table);
    await first.ready;
    await first.channel.unsubscribe();
    server.advance(601_000);
    await server.app.db.query(
      `update realtime.table_subscription set until = until - interval '601 seconds' where relation = $1::regclass`,
      [`public.${table}`],
    );
    await server.app.db.query('select realtime.set_capture_flags()');
    // As long as any server polls the outbox, changes are recorded until it clears the flag of the table.
    let id = 0;
    const inserted = (): Promise<unknown> =>
      server.app.db.query(`insert into public.${table} values ($1::int)`, [(id += 1)]);
    const written = async (): Promise<unknown> =>
      server.app.db.queryRow(
        `select from realtime.outbox where relation = $1::regclass and record -> 'id' = to_jsonb($2::int)`,
        [`public.${table}`, id],
      );
    await expect.poll(async () => (await inserted(), written()), { interval: 1_500 }).toBeNull();
    const second = await watch(table);
    await second.ready;
    await inserted();
    await expect.poll(() => second.events).toEqual([id]);
    expect(second.read.size).toBe(id - 1);
  });

  test('a table that leaves the publication tells its subscribers, and sends to those who come after it has returned', async () => {
    const table = await addTable();
    const watcher = await watch(table);
    await watcher.ready;
    await runScript(server, `alter publication supabase_realtime drop table public.${table}`);
    await expect
      .poll(() => watcher.statuses, { timeout: 20_000 })
      .toEqual(['SUBSCRIBED', 'CHANNEL_ERROR', 'SUBSCRIBED']);
    await expect.poll(() => watcher.notices.at(-1)).toMatch(/^Unable to subscribe to changes with given parameters/);
    expect(watcher.notices).toContain(ALTERED);
    await runScript(server, `alter publication supabase_realtime add table public.${table}`);
    const later = await watch(table);
    await later.ready;
    await server.app.db.query(`insert into public.${table} values (1)`);
    await expect.poll(() => later.events).toEqual([1]);
  });

  test.each([
    ['renamed', (table: string) => `alter table public.${table} rename to ${table}_new`],
    ['dropped', (table: string) => `drop table public.${table}`],
    ['without a filtered column', (table: string) => `alter table public.${table} drop column kind`],
    ['with another type of a filtered column', (table: string) => `alter table public.${table} alter kind type text`],
  ])('a table that is %s tells its subscribers, and others go on', async (_, alter) => {
    const [table, other] = [await addTable(), await addTable()];
    const [watcher, untouched] = [await watch(table, ['kind', 1]), await watch(other)];
    await Promise.all([watcher.ready, untouched.ready]);
    await runScript(server, alter(table));
    await server.app.db.query(`insert into public.${other} values (1)`);
    await expect.poll(() => watcher.notices, { timeout: 20_000 }).toContain(ALTERED);
    await expect.poll(() => untouched.events).toEqual([1]);
    expect(untouched.statuses).toEqual(['SUBSCRIBED']);
  });

  test('a new column of a table is sent without a new subscription', async () => {
    const table = await addTable();
    const client = await connect({ url: server.url, anonKey: server.app.keys.anonKey });
    clients.push(client);
    const notes: unknown[] = [];
    const channel = client.channel('notes');
    channel.on('postgres_changes', { event: '*', schema: 'public', table }, ({ new: row }) =>
      notes.push(Object(row)['note']),
    );
    await subscribed(channel);
    await runScript(server, `alter table public.${table} add column note text default 'x'`);
    // The server caches the columns of a table for a second.
    await expect
      .poll(async () => {
        await server.app.db.query(`insert into public.${table} select coalesce(max(id), 0) + 1 from public.${table}`);
        return notes;
      })
      .toContain('x');
  });

  /** Returns the database, with statements that contain `part` waiting for the promise of `before`. */
  function intercept(part: string, before: () => Promise<void>): TestServer['app']['db'] {
    const { db } = server.app;
    const query: typeof db.query = async (text, values) => {
      if (text.includes(part)) await before();
      return db.query(text, values);
    };
    return { ...db, query };
  }

  test('a reader that could not tell that it is awake reads the same changes again', async () => {
    const table = await addTable();
    let announcements = 0;
    const db = intercept('realtime.announce_reader', () =>
      // The first announcement is the one at the start.
      (announcements += 1) === 2 ? Promise.reject(new Error('out of reach')) : Promise.resolve(),
    );
    const read: Change[] = [];
    const reader = await startReader({
      db,
      process: randomUUID(),
      log,
      onBatch: ({ changes }) => Promise.resolve(void read.push(...changes)),
      onGap: () => Promise.resolve(),
    });
    await db.query(
      `insert into realtime.outbox (relation, operation, record) values ('public.${table}'::regclass, 'I', '{"id":1}')`,
    );
    await expect.poll(() => read.map(({ record }) => record), { timeout: 5_000 }).toEqual([{ id: '1' }]);
    expect(announcements).toBeGreaterThanOrEqual(2);
    await reader.stop();
  });

  test('changes that cannot be delivered count as a gap, which is told again until that succeeds, and later ones are delivered', async () => {
    const table = await addTable();
    const { db } = server.app;
    const notices: string[] = [];
    const read: unknown[] = [];
    const reader = await startReader({
      db,
      process: randomUUID(),
      log,
      onBatch({ changes }) {
        const ids = changes.map(({ record }) => record?.['id']);
        if (ids.includes('1')) return Promise.reject(new Error('not deliverable'));
        return Promise.resolve(void read.push(...ids));
      },
      onGap() {
        notices.push('gap');
        return notices.length === 1 ? Promise.reject(new Error('out of reach')) : Promise.resolve();
      },
    });
    const insert = (id: number): Promise<unknown> =>
      db.query(
        `insert into realtime.outbox (relation, operation, record)
         values ('public.${table}'::regclass, 'I', jsonb_build_object('id', $1::int))`,
        [id],
      );
    await insert(1);
    await expect.poll(() => notices).toEqual(['gap', 'gap']);
    await insert(2);
    await expect.poll(() => read).toEqual(['2']);
    expect(notices).toEqual(['gap', 'gap']);
    await reader.stop();
  });

  test('changes since the last event come in their order, although the reader delivers some of them meanwhile', async () => {
    const table = await addTable();
    const { got, feed, changes } = await resume(table, {
      write: () => server.app.db.query(`insert into public.${table} values (1), (2), (3)`),
      beforePage: async (resumed) => resumed.feed.deliver((await resumed.changes()).slice(0, 1)),
    });
    expect(got).toEqual([1, 2, 3]);
    await feed.deliver((await changes()).slice(1));
    expect(got).toEqual([1, 2, 3]);
  });

  test('what is committed between two pages of changes since the last event comes after both', async () => {
    const table = await addTable();
    const { db } = server.app;
    const late: pg.Client[] = [];
    let page = 0;
    const { got } = await resume(table, {
      async write() {
        late.push(await begin(`insert into public.${table} values (1)`));
        await db.query(`insert into public.${table} select generate_series(2, 600)`);
      },
      async beforePage({ feed, changes }) {
        if ((page += 1) !== 2) return;
        await late[0]?.query('commit');
        await db.query(`insert into public.${table} values (601)`);
        const first = await changes();
        const others = await changes(first.at(-1)?.id);
        await feed.deliver([...first.slice(0, 1), ...others.slice(-1)]);
      },
    });
    expect(got).toEqual([...Array.from({ length: 599 }, (_, index) => index + 2), 1, 601]);
  });

  type Resumed = {
    readonly feed: ChangeFeed;
    /** Returns the stored changes of the table after an id. */
    readonly changes: (after?: number) => Promise<readonly Change[]>;
    /** Ids of the rows that the subscription received. */
    readonly got: readonly number[];
  };

  /** Subscribes with the changes since an instant, after which `write` wrote its rows. */
  async function resume(
    table: string,
    steps: { write: () => Promise<unknown>; beforePage: (resumed: Resumed) => Promise<void> },
  ): Promise<Resumed> {
    const { db } = server.app;
    const got: number[] = [];
    const feed = createChanges({
      db: intercept('from realtime.outbox o', () => steps.beforePage(resumed)),
      process: randomUUID(),
      clock: () => new Date(),
      log,
    });
    const subscribe = (since: string | null): Promise<unknown> =>
      feed.subscribe({
        member: { token: '', role: 'anon', claims: {}, identity: '', sessionId: null, expiresAt: Infinity },
        bindings: [{ event: '*', schema: 'public', table }],
        since,
        onChange: ({ data }) => void (since !== null && got.push(JSON.parse(data).record.id)),
        onLost: (message) => expect.unreachable(message),
      }).ready;
    await subscribe(null);
    const begun = await db.queryRow<{ relation: string; at: Date }>(
      `select 'public.${table}'::regclass::oid::text as relation, clock_timestamp() + interval '1 millisecond' as at`,
    );
    if (!begun) return expect.unreachable();
    const resumed: Resumed = {
      feed,
      got,
      changes: async (after = 0) =>
        readSince(db, [begun.relation], { since: begun.at, snapshot: await currentSnapshot(db), after }),
    };
    await steps.write();
    expect(await subscribe(begun.at.toISOString())).toEqual({ error: null, warning: null });
    feed.stop();
    return resumed;
  }
});
