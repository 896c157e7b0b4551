import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compose } from '#server/compose.ts';
import { readConfig } from '#server/config.ts';
import { startServer } from '#tests/support/server-process.ts';
import { freePorts } from '#tests/support/test-server.ts';
import type { Latencies } from '../callers/load.ts';
import { pgbench } from '../limits/pgbench.ts';
import { writePaced } from './broadcasts.ts';
import { formatMark, microseconds } from './client-sockets.ts';
import { type Clients, startClients } from './clients.ts';
import {
  addPeople,
  type Bench,
  GROUPS,
  LIMITS,
  createMemberInsert,
  PEOPLE,
  type Person,
  perSecond,
  say,
  SECONDS,
  socketPath,
  TABLES,
  times,
} from './setup.ts';

const RATES = (process.env['BENCH_RATES'] ?? '50,100,200').split(',').map(Number);
const EMBEDDED_RATES = [5, 20];
/** The longest round of table changes, in milliseconds. */
const WAIT_MAX_MS = 20_000;

/** The policies of the tables, which decide who may see a change. */
const POLICIES = [
  { name: 'own row', table: 'bench_own', seen: 1 },
  { name: `member of one of ${GROUPS} teams`, table: 'bench_team', seen: PEOPLE / GROUPS },
] as const;

/** Measures table changes to people with separate tokens, compared with the usual alternative: one read of the row per person. */
export async function measureChanges(bench: Bench): Promise<void> {
  const { clients, people, port, path } = bench;
  for (const policy of POLICIES) {
    await clients.open({ port, path, count: PEOPLE, join: createJoin(policy.table, people) });
    for (const rate of RATES) {
      const insert = `insert into public.${policy.table} (owner, team, body) values ($1::uuid, $2::int, $3)`;
      const found = await measureRate(clients, rate, policy.seen, () =>
        writePaced(bench, rate, SECONDS, (at) => [insert, createRow(people, at)]),
      );
      say(`table changes, ${policy.name}, ${PEOPLE} people, ${rate} changes/s: ${found}`);
    }
    await clients.close();
    const reads = await pgbench(bench.target.databaseUrl, readScript(policy.table, people), {
      connections: 4,
      seconds: SECONDS,
    });
    say(
      `  one read of the row per person, pgbench: ${perSecond(reads)}, which is ${(reads / PEOPLE).toFixed(1)} changes/s`,
    );
  }
}

const createJoin = (table: string, people: readonly Person[]): { topic: string; config: object; tokens: string[] } => ({
  topic: 'changes',
  config: { postgres_changes: [{ event: '*', schema: 'public', table }] },
  tokens: people.map(({ token }) => token),
});

const createRow = (people: readonly Person[], at: number): [string, number, string] => [
  people[at % people.length]?.id ?? '',
  at % GROUPS,
  `${formatMark(microseconds())}${'x'.repeat(100)}`,
];

async function measureRate(
  clients: Clients,
  rate: number,
  seen: number,
  write: () => Promise<number>,
): Promise<string> {
  await clients.begin();
  const began = performance.now();
  const written = await write();
  const wroteMs = performance.now() - began;
  const found = await waitFor(clients, written * seen);
  const late = performance.now() - began - wroteMs;
  const missing = found.received === written * seen ? '' : `, ${found.received} of ${written * seen} arrived`;
  const behind = wroteMs > (1_100 * written) / rate ? `, written at ${perSecond((written * 1000) / wroteMs)}` : '';
  return `${times(found.latencies)}, the last ${Math.round(late)} ms after its insert${behind}${missing}`;
}

async function waitFor(clients: Clients, expected: number): Promise<{ received: number; latencies: Latencies }> {
  const end = performance.now() + WAIT_MAX_MS;
  for (;;) {
    const report = await clients.report();
    if (report.received >= expected || performance.now() > end) return report;
    await new Promise((done) => setTimeout(done, 50));
  }
}

const readScript = (table: string, people: readonly Person[]): string =>
  `\\set n random(1, ${people.length})
\\startpipeline
select set_config('request.jwt.claims', (select jsonb_build_object('sub', person, 'role', 'authenticated')::text from public.bench_member where place = :n - 1), true), set_config('role', 'authenticated', true);
select 1 from public.${table} where id = :n;
\\endpipeline
`;

/** Measures the same on the embedded database. Rows are written over HTTP, because only the server has the database open. */
export async function measureEmbeddedChanges(): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'bench-realtime-'));
  const ports = await freePorts();
  const env = {
    PORT: String(ports + 8),
    DATA_DIR: dataDir,
    SANDBOX_PORT: String(ports),
    RATE_LIMIT_FACTOR: '1000000',
    LOG_LEVEL: 'silent',
    ...LIMITS,
  };
  const app = await compose(readConfig(env));
  for (const statement of TABLES) await app.db.query(statement);
  await app.close();
  const people = await addPeople(env);
  const secondApp = await compose(readConfig(env));
  await secondApp.db.query(...createMemberInsert(people));
  await secondApp.close();
  const server = await startServer(env);
  const clients = startClients();
  const { apiUrl, anonKey, serviceRoleKey } = server.runtime;
  for (const policy of POLICIES) {
    const path = socketPath(anonKey);
    await clients.open({ port: ports + 8, path, count: PEOPLE, join: createJoin(policy.table, people) });
    for (const rate of EMBEDDED_RATES) {
      const found = await measureRate(clients, rate, policy.seen, () =>
        postPaced(`${apiUrl}/rest/v1/${policy.table}`, serviceRoleKey, rate, people),
      );
      say(`table changes on the embedded database, ${policy.name}, ${PEOPLE} people, ${rate} changes/s: ${found}`);
    }
    await clients.close();
  }
  clients.stop();
  await server.kill('SIGTERM');
  await rm(dataDir, { recursive: true, force: true });
}

async function postPaced(url: string, key: string, rate: number, people: readonly Person[]): Promise<number> {
  const headers = { apikey: key, authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const began = performance.now();
  const running: Promise<void>[] = [];
  for (let index = 0; index < rate * SECONDS; index += 1) {
    const wait = began + (index * 1000) / rate - performance.now();
    if (wait > 0) await new Promise((done) => setTimeout(done, wait));
    const [owner, team, body] = createRow(people, index);
    running.push(postRow(url, headers, JSON.stringify({ owner, team, body })));
  }
  await Promise.all(running);
  return running.length;
}

async function postRow(url: string, headers: Record<string, string>, body: string): Promise<void> {
  const answer = await fetch(url, { method: 'POST', headers, body });
  if (!answer.ok) throw new Error(await answer.text());
  await answer.arrayBuffer();
}
