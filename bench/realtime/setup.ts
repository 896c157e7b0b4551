import pg from 'pg';
import { compose } from '#server/compose.ts';
import { readConfig } from '#server/config.ts';
import { addCustomer } from '#tests/support/test-server.ts';
import { type BenchServer, openBenchServer } from '../test-server.ts';
import { type BareServer, startBareServer } from './bare-server.ts';
import { type Clients, startClients } from './clients.ts';

export type Person = { readonly id: string; readonly token: string };

export type Bench = {
  readonly target: BenchServer;
  readonly port: number;
  readonly path: string;
  readonly owner: pg.Pool;
  readonly people: readonly Person[];
  readonly bare: BareServer;
  readonly clients: Clients;
  close(): Promise<void>;
};

/** The number of groups. One in this many people may see a row of a group. */
export const GROUPS = 10;
export const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 4);
export const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 3);
export const PEOPLE = Number(process.env['BENCH_PEOPLE'] ?? 500);

/** High limits, because the bench does not measure the server's limits. */
export const LIMITS = {
  REALTIME_MAX_SOCKETS: '100000',
  REALTIME_MAX_SOCKETS_PER_ADDRESS: '100000',
  REALTIME_MAX_SOCKETS_PER_ACCOUNT: '100000',
  REALTIME_ACCOUNT_MESSAGES_PER_SECOND: '100000',
  REALTIME_JOINS_PER_SECOND: '100000',
  REALTIME_MESSAGES_PER_SECOND: '100000',
};

export const say = (line: string): void => void process.stdout.write(`${line}\n`);
export const perSecond = (value: number): string => `${Math.round(value).toLocaleString('en-AU')}/s`;
export const times = ({ p50, p95, p99 }: { p50: number; p95: number; p99: number }): string =>
  `p50 ${p50.toFixed(1)}, p95 ${p95.toFixed(1)}, p99 ${p99.toFixed(1)} ms`;

/** Tables with the policies under test, and two of equal shape, of which one is published. One statement per element. */
export const TABLES: readonly string[] = [
  'create table public.bench_member (person uuid not null, team int not null, place int not null, primary key (person, team))',
  'grant select on public.bench_member to authenticated',
  `create table public.bench_own (id bigint generated always as identity primary key, owner uuid, team int, body text)`,
  `create table public.bench_team (id bigint generated always as identity primary key, owner uuid, team int, body text)`,
  `create table public.bench_published (id bigint generated always as identity primary key, body text)`,
  `create table public.bench_plain (id bigint generated always as identity primary key, body text)`,
  ...['own', 'team', 'published'].map((name) => `alter table public.bench_${name} enable row level security`),
  ...['own', 'team', 'published'].map((name) => `grant select on public.bench_${name} to authenticated`),
  ...['own', 'team', 'published'].map((name) => `grant all on public.bench_${name} to service_role, backend`),
  'create policy own_rows on public.bench_own for select to authenticated using (owner = (select auth.uid()))',
  `create policy team_rows on public.bench_team for select to authenticated
   using (exists (select from public.bench_member m where m.person = (select auth.uid()) and m.team = bench_team.team))`,
  'create policy all_rows on public.bench_published for select to authenticated using (true)',
  `create policy bench_places on realtime.messages for select to authenticated
   using (exists (select from public.bench_member m where m.person = (select auth.uid()) and realtime.topic() = 'place:' || m.place))`,
  'alter publication supabase_realtime add table public.bench_own, public.bench_team, public.bench_published',
];

/** Starts a server on PostgreSQL with tables and people, a bare server, and the process of the clients. */
export async function openBench(more: Readonly<Record<string, string>> = {}): Promise<Bench> {
  const target = await openBenchServer({ ...LIMITS, ...more });
  const owner = new pg.Pool({ connectionString: target.databaseUrl, max: 2 });
  for (const statement of TABLES) await owner.query(statement);
  const people = await addPeople({ ...target.env, PORT: String(target.ports + 5) });
  await owner.query(...createMemberInsert(people));
  await owner.query('vacuum analyze');
  const bare = await startBareServer(target.databaseUrl);
  const clients = startClients();
  return {
    target,
    port: Number(new URL(target.runtime.apiUrl).port),
    path: socketPath(target.runtime.anonKey),
    owner,
    people,
    bare,
    clients,
    async close() {
      clients.stop();
      bare.stop();
      await owner.end();
      await target.close();
    },
  };
}

export const socketPath = (key: string): string => `/realtime/v1/websocket?apikey=${key}&vsn=2.0.0`;

/** Creates people with separate sessions. */
export async function addPeople(env: Readonly<Record<string, string>>): Promise<readonly Person[]> {
  const app = await compose(readConfig({ ...env, NODE_OPTIONS: undefined }));
  const people = await Promise.all(Array.from({ length: PEOPLE }, () => addCustomer(app, new Date())));
  await app.close();
  return people;
}

/** Returns the statement that makes person number n a member of team n modulo `GROUPS`, at place n. */
export const createMemberInsert = (people: readonly Person[]): [string, [string[], number]] => [
  `insert into public.bench_member select id::uuid, (n - 1) % $2::int, n - 1 from unnest($1::text[]) with ordinality as person (id, n)`,
  [people.map(({ id }) => id), GROUPS],
];
