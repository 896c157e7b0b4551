import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connect, findGaps, type Watcher, watchTable } from './channels.ts';
import { connectRealtime } from './client.ts';
import { type Cluster, startCluster } from './cluster.ts';

const LONG = process.env['TEST_LONG'] !== undefined;
const WATCHERS = LONG ? 40 : 6;
const ROUNDS = LONG ? 10 : 1;
/** Number of rows already in the table: more than one answer may have, so that a client that rereads the table must read several pages. */
const ROWS = 1_500;

/**
 * Clients reach two processes through a load balancer. One row is written every few milliseconds while the processes end one after the
 * other.
 */
describe.runIf(process.env['TEST_POSTGRES_URL'])('two processes that end one after the other', () => {
  let cluster: Cluster;
  let watchers: Watcher[] = [];
  let next = ROWS;
  beforeAll(async () => {
    cluster = await startCluster(2);
    for (const statement of [
      'create table public.news (id bigint primary key)',
      `insert into public.news select generate_series(1, ${ROWS})`,
      'grant select on public.news to anon',
      'alter publication supabase_realtime add table public.news',
    ])
      await cluster.db.query(statement);
    const clients = await Promise.all(Array.from({ length: WATCHERS }, () => connect(cluster.any)));
    // Half of them reread the table at each connection; the others ask for the changes since their last event.
    watchers = clients.map((client, index) => watchTable(client, 'news', { table: 'news', since: index % 2 === 1 }));
    await Promise.all(watchers.map(({ ready }) => ready));
  }, 120_000);
  afterAll(() => cluster.close());

  /** Writes in overlapping transactions until `work` is done. Returns what was written. */
  async function writeDuring(work: () => Promise<void>): Promise<number[]> {
    const ids: number[] = [];
    let done = false;
    const write = async (): Promise<void> => {
      while (!done) {
        const id = (next += 1);
        await cluster.db.transaction(async (tx) => {
          await tx.query('insert into public.news values ($1::bigint)', [id]);
          await new Promise((resolve) => setTimeout(resolve, Math.random() * 20));
        });
        ids.push(id);
      }
    };
    const writers = [write(), write()];
    await work();
    done = true;
    await Promise.all(writers);
    return ids;
  }

  const gaps = (ids: readonly number[]): { missed: number[]; index: number }[] =>
    watchers
      .map((watcher, index) => ({ missed: findGaps(watcher, ids).missed, index }))
      .filter(({ missed }) => missed.length > 0);

  async function learned(ids: readonly number[]): Promise<void> {
    try {
      await expect.poll(() => gaps(ids).length, { timeout: 40_000, interval: 100 }).toBe(0);
    } catch (error) {
      throw new Error(await explainGaps(gaps(ids)), { cause: error });
    }
  }

  /** Describes what each watcher missed, and which of that is absent from the outbox. */
  async function explainGaps(found: readonly { missed: number[]; index: number }[]): Promise<string> {
    const { rows } = await cluster.db.query<{ id: number }>(
      `select (record ->> 'id')::int as id from realtime.outbox where relation = 'public.news'::regclass`,
    );
    const captured = new Set(rows.map(({ id }) => id));
    const lines = found.map(({ missed, index }) => {
      const { statuses, notices } = watchers[index] ?? { statuses: [], notices: [] };
      const kind = index % 2 === 1 ? 'asks for changes since its last event' : 'reads again';
      const absent = missed.filter((id) => !captured.has(id));
      return `watcher ${index} (${kind}) missed ${missed.join(', ')}; not in the outbox: ${absent.join(', ') || 'none'}; ${statuses.join(', ')}; ${notices.join(', ')}`;
    });
    return [`written up to ${next}`, ...lines].join('\n');
  }

  test(`a rolling restart loses no change, ${ROUNDS} times`, { timeout: ROUNDS * 120_000 }, async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const witness = await connectRealtime(cluster.at(0).url, cluster.anonKey);
      await witness.join('news');
      const written = await writeDuring(async () => {
        for (const index of [0, 1]) {
          expect(await cluster.process(index).kill('SIGTERM')).toBe(0);
          await cluster.start(index);
        }
      });
      expect(await witness.closed).toBe(1012);
      expect(witness.frames.at(-1)).toMatchObject({
        event: 'system',
        payload: { extension: 'system', status: 'ok', message: 'Server requested disconnect' },
      });
      await learned(written);
    }
    // Every client has reconnected automatically.
    for (const { statuses } of watchers)
      expect(statuses.filter((status) => status === 'SUBSCRIBED').length).toBeGreaterThan(ROUNDS);
    // Only a client that asks for the changes since an event may receive some of them twice.
    expect(watchers.filter((_, index) => index % 2 === 0).map((watcher) => findGaps(watcher, []).twice)).toEqual(
      Array(Math.ceil(WATCHERS / 2)).fill([]),
    );
  });

  test(`a killed process loses no change, ${ROUNDS} times`, { timeout: ROUNDS * 120_000 }, async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const index = round % 2;
      const written = await writeDuring(async () => {
        await cluster.process(index).kill('SIGKILL');
        await cluster.start(index);
      });
      await learned(written);
    }
  });

  test.runIf(LONG)('the presence of a killed process leaves within fifteen seconds', { timeout: 60_000 }, async () => {
    const [watcher, killed] = [
      await connectRealtime(cluster.at(0).url, cluster.anonKey),
      await connectRealtime(cluster.at(1).url, cluster.anonKey),
    ];
    await watcher.join('crash', { presence: { enabled: true } });
    await killed.join('crash', { presence: { key: 'killed' } });
    killed.send('1', 'track', 'realtime:crash', 'presence', { type: 'presence', event: 'track', payload: {} });
    await watcher.frame(({ event, payload }) => event === 'presence_diff' && 'killed' in Object(payload['joins']));
    const began = performance.now();
    await cluster.process(1).kill('SIGKILL');
    const hasLeft = (): boolean =>
      watcher.frames.some(({ event, payload }) => event === 'presence_diff' && 'killed' in Object(payload['leaves']));
    await expect.poll(hasLeft, { timeout: 30_000, interval: 20 }).toBe(true);
    expect(performance.now() - began).toBeLessThan(15_000);
    await cluster.start(1);
  });

  test('who asks for the changes since an event that is no longer kept is told to read again', async () => {
    const client = await connectRealtime(cluster.any.url, cluster.anonKey);
    const since = new Date(Date.now() - 600_000).toISOString();
    const bindings = [{ event: '*', schema: 'public', table: 'news' }];
    await client.join('old', { postgres_changes: bindings, postgres_changes_options: { since } });
    const notices = [
      await client.frame(({ event }) => event === 'system'),
      await client.frame(
        ({ payload }) => payload['status'] === 'ok' && payload['message'] === 'Subscribed to PostgreSQL',
      ),
    ];
    expect(notices[0]?.payload).toMatchObject({
      extension: 'postgres_changes',
      status: 'error',
      message: expect.stringContaining('please read again'),
    });
    const id = (next += 1);
    await cluster.db.query('insert into public.news values ($1::bigint)', [id]);
    const change = await client.frame(({ event }) => event === 'postgres_changes');
    expect(change.payload['data']).toMatchObject({ record: { id } });
    client.close();
  });
});
