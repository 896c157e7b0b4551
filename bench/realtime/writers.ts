import { median } from '../load.ts';
import { pgbench } from '../pgbench.ts';
import { type Bench, perSecond, ROUNDS, say, SECONDS } from './setup.ts';

const CONNECTIONS = 4;

/**
 * Measures inserts into a published table beside the same table without a trigger: with nobody listening, then with a listener. Commits
 * are flushed, as in production.
 */
export async function measureWriters(bench: Bench): Promise<void> {
  const { clients, port, path, people, owner } = bench;
  const before = await owner.query<{ fsync: string }>('show fsync');
  await setFsync(bench, 'on');
  say(`inserts with nobody listening beside no trigger: loses ${await measureLoss(bench)} (goal at most 5 %)`);
  const join = {
    topic: 'writers',
    config: { postgres_changes: [{ event: '*', schema: 'public', table: 'bench_published' }] },
    tokens: people.map(({ token }) => token),
  };
  await clients.open({ port, path, count: 1, join });
  say(`inserts with a listener beside no trigger: loses ${await measureLoss(bench)} (goal at most 40 %)`);
  await clients.close();
  await setFsync(bench, before.rows[0]?.fsync === 'off' ? 'off' : 'on');
}

/** The PostgreSQL of the bench does not wait for the disk unless told to. */
async function setFsync({ owner }: Bench, value: 'on' | 'off'): Promise<void> {
  await owner.query(`alter system set fsync = ${value}`);
  await owner.query('select pg_reload_conf()');
}

async function measureLoss(bench: Bench): Promise<string> {
  const losses: number[] = [];
  for (let round = 0; round <= ROUNDS * 2; round += 1) {
    const published = await insert(bench, 'bench_published');
    const plain = await insert(bench, 'bench_plain');
    if (round === 0) continue; // warms both up
    losses.push(1 - published / plain);
    say(`  inserts: published ${perSecond(published)}, without a trigger ${perSecond(plain)}`);
  }
  return `${(median(losses) * 100).toFixed(1)} %`;
}

async function insert({ owner, target }: Bench, table: string): Promise<number> {
  await owner.query(`truncate public.${table}`);
  const script = `insert into public.${table} (body) values ('${'x'.repeat(200)}');\n`;
  return pgbench(target.databaseUrl, script, { connections: CONNECTIONS, seconds: Math.ceil(SECONDS / 4) });
}
