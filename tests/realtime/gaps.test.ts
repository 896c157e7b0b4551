import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines } from '#tests/support/engines.ts';
import { runScript } from '#tests/support/schema.ts';
import type { TestServer } from '#tests/support/test-server.ts';
import { connect, findGaps, type Watcher, watchTable } from './channels.ts';

/** Number of races. In each, a write must either be found when a client reads after `SUBSCRIBED`, or arrive as an event, exactly once. */
const RACES = process.env['TEST_LONG'] ? 1_000 : 40;
/** Number of races with disturbances. Each of them begins with one. */
const DISTURBED = process.env['TEST_LONG'] ? 200 : 10;
const AT_ONCE = 10;
/** Number of the last write of a race. Its arrival shows that the ones before it have arrived. */
const LAST = 9;

describe.each(engines)('races of subscribing and writing on the $name database', (engine) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await engine.open();
    await runScript(
      server,
      `create table public.races (id bigint primary key, race int);

       grant select on public.races to anon;

       grant all on public.races to service_role, backend;

       alter publication supabase_realtime add table public.races;`,
    );
  });
  afterAll(() => server.close());

  let races = 0;
  const pause = (milliseconds: number): Promise<void> =>
    new Promise((done) => {
      setTimeout(done, milliseconds);
    });
  /** Inserts a row, and repeats the insert if the connection is lost. */
  const insert = async (id: number, number: number): Promise<void> => {
    const write = 'insert into public.races values ($1::bigint, $2::int) on conflict do nothing';
    await server.app.db.query(write, [id, number]).catch(async () => {
      await pause(20);
      await insert(id, number);
    });
  };

  /** Writes eight rows at random moments around a join, and one after it. Returns the ids that the client missed or received twice. */
  async function race(): Promise<{ missed: number[]; twice: number[] }> {
    const number = (races += 1);
    const client = await connect({ url: server.url, anonKey: server.app.keys.anonKey });
    const ids = Array.from({ length: LAST - 1 }, (_, index) => number * 10 + index + 1);
    const writes = ids.map(async (id) => {
      await pause(Math.random() * 60);
      await insert(id, number);
    });
    await pause(Math.random() * 30);
    const watcher: Watcher = watchTable(client, `race-${number}`, { table: 'races', filter: ['race', number] });
    await Promise.all([...writes, watcher.ready]);
    await insert(number * 10 + LAST, number);
    // If the channel lost its server in the meantime, it finds the last write by reading.
    const last = (): number[] => findGaps(watcher, [number * 10 + LAST]).missed;
    await expect.poll(last, { timeout: 30_000, interval: 5 }).toEqual([]);
    const gaps = findGaps(watcher, ids);
    await client.removeAllChannels();
    return gaps;
  }

  async function runRaces(
    count: number,
    disturb?: () => Promise<void>,
  ): Promise<{ missed: number[]; twice: number[] }> {
    const total: { missed: number[]; twice: number[] } = { missed: [], twice: [] };
    for (let index = 0; index < count; index += AT_ONCE) {
      const group = Promise.all(Array.from({ length: Math.min(AT_ONCE, count - index) }, race));
      if (disturb) {
        await pause(Math.random() * 60);
        await disturb();
      }
      for (const { missed, twice } of await group) {
        total.missed.push(...missed);
        total.twice.push(...twice);
      }
    }
    return total;
  }

  test(`in ${RACES} races nothing is missed and nothing arrives twice`, { timeout: 1_200_000 }, async () => {
    expect(await runRaces(RACES)).toEqual({ missed: [], twice: [] });
  });

  test.runIf(engine.name === 'PostgreSQL')(
    `in ${DISTURBED} races with killed listening connections nothing is missed and nothing arrives twice`,
    { timeout: 600_000 },
    async () => {
      const kill = (): Promise<void> =>
        runScript(
          server,
          `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and query ilike 'listen %'`,
        );
      expect(await runRaces(DISTURBED, kill)).toEqual({ missed: [], twice: [] });
    },
  );

  test.runIf(engine.name === 'PostgreSQL')(
    `in ${DISTURBED} races in which the server loses every connection nothing is missed`,
    { timeout: 600_000 },
    async () => {
      const kill = (): Promise<void> =>
        runScript(
          server,
          `select pg_terminate_backend(pid) from pg_stat_activity
           where datname = current_database() and pid <> pg_backend_pid() and usename <> session_user`,
        );
      expect(await runRaces(DISTURBED, kill)).toMatchObject({ missed: [] });
    },
  );

  test('after the loss of the unlogged tables every channel joins again, and nothing is missed', async () => {
    const client = await connect({ url: server.url, anonKey: server.app.keys.anonKey });
    const number = (races += 1);
    const watcher = watchTable(client, 'crash', { table: 'races', filter: ['race', number] });
    await watcher.ready;
    const tables = 'outbox, outbox_mark, outbox_epoch, table_subscription, reader, process, presence, long_message';
    const lists = tables.split(', ').map((name) => `realtime.${name}`);
    await insert(number * 10 + 1, number);
    await runScript(server, `truncate ${lists.join(', ')}`);
    await insert(number * 10 + 2, number);
    await expect
      .poll(() => watcher.statuses, { timeout: 20_000 })
      .toEqual(['SUBSCRIBED', 'CHANNEL_ERROR', 'SUBSCRIBED']);
    expect(watcher.notices).toContain('Messages may have been missed, please read again');
    await insert(number * 10 + 3, number);
    const ids = [1, 2, 3].map((n) => number * 10 + n);
    await expect.poll(() => findGaps(watcher, ids)).toEqual({ missed: [], twice: [] });
    // The row may have been read before its event arrived.
    await expect.poll(() => watcher.events).toContain(number * 10 + 3);
    await client.removeAllChannels();
  });
});
