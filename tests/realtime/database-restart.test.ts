import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type OwnPostgres, startOwnPostgres } from '#tests/support/postgres.ts';
import { freePorts } from '#tests/support/test-server.ts';
import { collect, connect, findGaps, subscribed, type Watcher, watchTable } from './channels.ts';
import { type Cluster, startCluster } from './cluster.ts';

/** Number of watchers. Half of them reread the table at each connection; the others ask for the changes since their last event. */
const WATCHERS = 4;

describe.runIf(process.env['TEST_POSTGRES_BIN'])('two processes on a PostgreSQL that restarts', () => {
  let postgres: OwnPostgres;
  let cluster: Cluster;
  beforeAll(async () => {
    postgres = startOwnPostgres(await freePorts());
    cluster = await startCluster(2, {}, postgres.url);
    for (const statement of [
      'create table public.news (id bigint primary key)',
      'grant select on public.news to anon',
      'alter publication supabase_realtime add table public.news',
    ])
      await cluster.db.query(statement);
  }, 120_000);
  afterAll(async () => {
    await cluster.close();
    postgres.remove();
  });

  /** Writes one row after another until `work` is done. A row whose connection is lost is written again. Returns the ids. */
  async function writeDuring(work: () => void | Promise<void>): Promise<number[]> {
    const ids: number[] = [];
    let done = false;
    const write = async (id: number): Promise<void> => {
      await cluster.db
        .query('insert into public.news values ($1::bigint) on conflict do nothing', [id])
        .then(() => void ids.push(id))
        .catch(async () => {
          await new Promise((resolve) => setTimeout(resolve, 20));
          await write(id);
        });
    };
    const writing = (async () => {
      for (let id = 1; !done; id += 1) await write(id);
    })();
    await expect.poll(() => ids.length).toBeGreaterThan(20);
    await work();
    const before = ids.length;
    await expect.poll(() => ids.length, { timeout: 20_000 }).toBeGreaterThan(before + 20);
    done = true;
    await writing;
    return ids;
  }

  test(
    'clients learn of every committed change, each process sends the broadcasts of the other again, and no process ends',
    { timeout: 120_000 },
    async () => {
      const clients = await Promise.all(Array.from({ length: WATCHERS }, (_, index) => connect(cluster.at(index % 2))));
      const watchers: Watcher[] = clients.map((client, index) =>
        watchTable(client, 'news', { table: 'news', since: index >= WATCHERS / 2 }),
      );
      await Promise.all(watchers.map(({ ready }) => ready));
      const channels = clients.slice(0, 2).map((client) => client.channel('talk'));
      const got = channels.map((channel) => collect(channel, 'word'));
      for (const channel of channels) await subscribed(channel);

      const written = await writeDuring(() => {
        postgres.stop();
        postgres.start();
      });
      await expect
        .poll(() => watchers.map((watcher) => findGaps(watcher, written).missed), { timeout: 40_000 })
        .toEqual(watchers.map(() => []));
      for (const [from, to] of [
        [0, 1],
        [1, 0],
      ] as const)
        await expect
          .poll(
            async () => {
              await channels[from]?.send({ type: 'broadcast', event: 'word', payload: { from } });
              return got[to];
            },
            { timeout: 40_000, interval: 200 },
          )
          .toContainEqual(expect.objectContaining({ from }));
      // A change after the restart arrives as an event.
      await cluster.db.query('insert into public.news values (1000000)');
      for (const watcher of watchers) await expect.poll(() => watcher.events, { timeout: 20_000 }).toContain(1_000_000);
      for (const index of [0, 1]) expect(cluster.process(index).child.exitCode).toBeNull();
      for (const client of clients) await client.removeAllChannels();
    },
  );
});
