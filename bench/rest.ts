import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import pg from 'pg';
import { compose } from '#server/compose.ts';
import { readConfig } from '#server/config.ts';
import { addCustomer } from '#tests/support/test-server.ts';
import { openBenchServer } from './test-server.ts';
import { type LoadRequest, load, median } from './load.ts';
import { pgbench } from './pgbench.ts';

/**
 * Measures the data API over HTTP beside pgbench running the same whole transaction on the same server (become the caller, query, commit),
 * and beside a bare route. Row level security is on, and tokens are verified.
 */
const CONNECTIONS = 16;
const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 6);
const ROWS = Number(process.env['BENCH_ROWS'] ?? 200_000);
const ROUNDS = 3;
const FIRST = Date.UTC(2000, 0, 1);
const HOUR = 3_600_000;

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const perSecond = (value: number): string => `${Math.round(value).toLocaleString('en-AU')}/s`;

const TABLES = `
create table public.bench_land (id int primary key, name text not null);
create table public.bench_town (id int primary key, land_id int not null references public.bench_land (id), name text not null, note text, at timestamptz not null);
create table public.bench_note (id bigint generated always as identity primary key, owner uuid not null default auth.uid(), line text not null);
insert into public.bench_land select n, 'Land ' || n from generate_series(1, 1000) n;
insert into public.bench_town select n, 1 + n % 1000, 'Town ' || n, repeat('x', 60), timestamptz '2000-01-01Z' + (n - 1) * interval '1 hour' from generate_series(1, ${ROWS}) n;
create index on public.bench_town (at);
alter table public.bench_land enable row level security;
alter table public.bench_town enable row level security;
alter table public.bench_note enable row level security;
create policy open on public.bench_land for select to anon using (true);
create policy open on public.bench_town for select to anon using (true);
create policy own on public.bench_note for insert to authenticated with check (owner = (select auth.uid()));
grant select on public.bench_land, public.bench_town to anon;
grant insert on public.bench_note to authenticated;
analyze public.bench_land, public.bench_town;
notify pgrst, 'reload schema';
`;

type Case = {
  readonly name: string;
  readonly goal: number;
  readonly make: (at: number) => LoadRequest;
  readonly sql: string;
};

const within = (from: number, hours: number): string =>
  `at=gte.${new Date(from).toISOString()}&at=lt.${new Date(from + hours * HOUR).toISOString()}`;
/** Spreads values over `span`, the same in every run. */
const scattered = (at: number, span: number): number => (at * 7_919) % span;

function casesFor(anonKey: string, token: string, userId: string): Case[] {
  const read = (path: string): LoadRequest => ({
    method: 'GET',
    path: `/rest/v1/${path}`,
    headers: { apikey: anonKey },
  });
  const days = Math.floor(ROWS / 24) - 3;
  const guest = become('anon', '{"role":"anon"}');
  const person = become('authenticated', JSON.stringify({ role: 'authenticated', sub: userId }));
  const rows = (of: string): string =>
    `select coalesce(json_agg(x.*), '[]')::text as body, count(*) as count from (${of} limit 1000) x`;
  const day = `\\set day random(0, ${days})\n`;
  return [
    {
      name: 'point select',
      goal: 0.25,
      make: (at) => read(`bench_town?select=id,name,note&id=eq.${1 + scattered(at, ROWS)}`),
      sql: `\\set id random(1, ${ROWS})\n${guest(rows('select t.id, t.name, t.note from public.bench_town t where t.id = :id'))}`,
    },
    {
      name: 'range of two days',
      goal: 0.45,
      make: (at) => read(`bench_town?select=id,name,at&${within(FIRST + scattered(at, days) * 24 * HOUR, 48)}`),
      sql: `${day}${guest(
        rows(
          `select t.id, t.name, t.at from public.bench_town t where t.at >= timestamptz '2000-01-01Z' + :day * interval '1 day' and t.at < timestamptz '2000-01-01Z' + (:day + 2) * interval '1 day'`,
        ),
      )}`,
    },
    {
      name: 'embedded select',
      goal: 0.45,
      make: (at) =>
        read(`bench_town?select=id,name,bench_land(id,name)&${within(FIRST + scattered(at, days) * 24 * HOUR, 24)}`),
      sql: `${day}${guest(
        rows(
          `select t.id, t.name, (select row_to_json(l.*) from (select b.id, b.name from public.bench_land b where b.id = t.land_id limit 1) l) as bench_land
           from public.bench_town t where t.at >= timestamptz '2000-01-01Z' + :day * interval '1 day' and t.at < timestamptz '2000-01-01Z' + (:day + 1) * interval '1 day'`.replaceAll(
            /\s+/g,
            ' ',
          ),
        ),
      )}`,
    },
    {
      name: 'insert',
      goal: 0.35,
      make: (at) => ({
        method: 'POST',
        path: '/rest/v1/bench_note',
        headers: { apikey: anonKey, authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ line: `note ${at}` }),
      }),
      sql: `\\set n random(1, 1000000)\n${person(`insert into public.bench_note (line) values ('note ' || :n)`)}`,
    },
  ];
}

/** Wraps a statement in a transaction as a caller, as the server runs it. */
const become =
  (role: string, claims: string) =>
  (statement: string): string =>
    `begin;\nselect set_config('request.headers', '{}', true), set_config('request.method', 'GET', true), set_config('request.path', '/', true), set_config('search_path', 'public', true), set_config('request.jwt.claims', '${claims}', true), set_config('role', '${role}', true);\n${statement};\ncommit;\n`;

async function measure(one: Case, url: string, databaseUrl: string): Promise<void> {
  const ours: number[] = [];
  const ratios: number[] = [];
  await load(url, { connections: CONNECTIONS, seconds: 1, make: one.make });
  for (let round = 0; round < ROUNDS; round += 1) {
    const answered = await load(url, { connections: CONNECTIONS, seconds: SECONDS, make: one.make });
    if (answered.failed > 0) throw new Error(`${one.name}: ${answered.failed} requests failed`);
    const limit = await pgbench(databaseUrl, one.sql, { connections: CONNECTIONS, seconds: SECONDS });
    ours.push(answered.perSecond);
    ratios.push(answered.perSecond / limit);
    say(
      `  ${one.name}: ${perSecond(answered.perSecond)}, median ${answered.medianMs.toFixed(2)} ms; pgbench ${perSecond(limit)}`,
    );
  }
  say(
    `${one.name} beside pgbench: ${median(ratios).toFixed(2)} (goal ${one.goal.toFixed(2)}), ${perSecond(median(ours))}`,
  );
}

async function main(): Promise<void> {
  const bench = await openBenchServer();
  const { databaseUrl, ports } = bench;
  const owner = new pg.Client({ connectionString: databaseUrl });
  await owner.connect();
  await owner.query(TABLES);
  const target = await compose(readConfig({ ...bench.env, PORT: String(ports + 5) }));
  const customer = await addCustomer(target, new Date());
  await target.close();
  const { apiUrl, anonKey } = bench.runtime;
  for (const one of casesFor(anonKey, customer.token, customer.id)) await measure(one, apiUrl, databaseUrl);
  const bare = serve({ fetch: new Hono().get('/', (c) => c.json([])).fetch, port: ports + 6 });
  const route = await load(`http://localhost:${ports + 6}`, {
    connections: CONNECTIONS,
    seconds: 3,
    make: () => ({ method: 'GET', path: '/', headers: {} }),
  });
  bare.close();
  say(`a bare route, in the load's own process: ${perSecond(route.perSecond)}`);
  await owner.end();
  await bench.close();
}

await main();
