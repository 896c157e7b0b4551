import { readFile } from 'node:fs/promises';
import type pg from 'pg';
import { median } from '../callers/load.ts';
import { pgbench } from '../limits/pgbench.ts';
import { endedChildrenTime } from '../callers/processor-time.ts';
import { type Bench, perSecond, ROUNDS, say, SECONDS } from './setup.ts';

const CONNECTIONS = 4;
const ROUND_SECONDS = Math.ceil(SECONDS / 4);

/** The database under test: the owner of the tables, and the process that starts one process for each connection. */
type Measured = { readonly owner: pg.Pool; readonly url: string; readonly postmaster: number };

/** Inserts per second, and the processor time of PostgreSQL for one insert. */
type Round = { readonly rate: number; readonly microseconds: number };

/**
 * Compares inserts into a published table with inserts into the same table without a trigger: first without a listener, then with one. Each
 * insert is a commit that waits for the disk, as in production.
 */
export async function measureWriters({ clients, port, path, people, owner, target }: Bench): Promise<void> {
  const { rows } = await owner.query<{ fsync: string; pid: number }>(
    `select current_setting('fsync') as fsync, pg_backend_pid() as pid`,
  );
  const database = { owner, url: target.databaseUrl, postmaster: await readParent(rows[0]?.pid ?? 0) };
  say(`fsync is ${rows[0]?.fsync}`);
  await measureLoss(database, 'nobody listening', 'at most 5 %');
  const join = {
    topic: 'writers',
    config: { postgres_changes: [{ event: '*', schema: 'public', table: 'bench_published' }] },
    tokens: people.map(({ token }) => token),
  };
  await clients.open({ port, path, count: 1, join });
  await measureLoss(database, 'a listener', 'at most 40 %');
  await clients.close();
}

async function measureLoss(database: Measured, who: string, goal: string): Promise<void> {
  const rounds: { published: Round; plain: Round }[] = [];
  for (let index = 0; index <= ROUNDS * 2; index += 1) {
    // The two tables take turns at being first.
    const first = index % 2 === 0 ? 'bench_published' : 'bench_plain';
    const firstRound = await insert(database, first);
    const other = await insert(database, first === 'bench_plain' ? 'bench_published' : 'bench_plain');
    const [published, plain] = first === 'bench_published' ? [firstRound, other] : [other, firstRound];
    if (index === 0) continue; // warms both up
    rounds.push({ published, plain });
    say(`  inserts with ${who}: published ${formatRound(published)}, without a trigger ${formatRound(plain)}`);
  }
  const losses = rounds.map(({ published, plain }) => 1 - published.rate / plain.rate);
  const costs = rounds.map(({ published, plain }) => published.microseconds - plain.microseconds);
  say(
    `inserts with ${who} beside no trigger: lose ${percent(median(losses))} (${percent(Math.min(...losses))} to ${percent(Math.max(...losses))}, ` +
      `goal ${goal}) and use ${median(costs).toFixed(1)} µs more of ${median(rounds.map(({ plain }) => plain.microseconds)).toFixed(1)} µs`,
  );
}

const formatRound = ({ rate, microseconds }: Round): string => `${perSecond(rate)} (${microseconds.toFixed(1)} µs)`;
const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;

async function insert({ owner, url, postmaster }: Measured, table: string): Promise<Round> {
  await owner.query(`truncate public.${table}`);
  const script = `insert into public.${table} (body) values ('${'x'.repeat(200)}');\n`;
  const before = await endedChildrenTime(postmaster);
  const rate = await pgbench(url, script, { connections: CONNECTIONS, seconds: ROUND_SECONDS });
  await connectionsEnded(owner);
  const used = (await endedChildrenTime(postmaster)) - before;
  return { rate, microseconds: (used * 1e6) / (rate * ROUND_SECONDS) };
}

/** Waits until connections have ended, because their processor time counts only when their process has ended. */
async function connectionsEnded(owner: pg.Pool): Promise<void> {
  for (;;) {
    const { rows } = await owner.query(`select from pg_stat_activity where application_name = 'pgbench'`);
    await new Promise((done) => setTimeout(done, 50));
    if (rows.length === 0) return;
  }
}

/** Returns the process that started another one. */
async function readParent(pid: number): Promise<number> {
  return Number(/^PPid:\s*(\d+)/m.exec(await readFile(`/proc/${pid}/status`, 'utf8').catch(() => ''))?.[1]);
}
