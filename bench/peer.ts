import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { compose } from '#server/compose.ts';
import { readConfig } from '#server/config.ts';
import { createTestDatabase } from '#tests/support/postgres.ts';
import { addCustomer } from '#tests/support/test-server.ts';
import { CALLERS, perSecond, say, spread } from './limits/compare.ts';
import { fillBookings, LAST } from './rows/bookings.ts';
import { availability, DAY, STUDIOS } from './callers/availability.ts';
import type { CallerRequest } from './callers/connection.ts';
import { load, median } from './callers/load.ts';
import { REST_TABLES, restRows } from './rows/rest-tables.ts';
import { openBenchServer } from './test-server.ts';

/**
 * `npm run bench -- peer`: compares the data API with @supabase/lite and its PostgreSQL driver, which npm installs into a temporary folder.
 * Both have the same rows on the same PostgreSQL, and answer the same requests, one after the other in each round. The peer's bookings are the views of this
 * project's database over a table with the same columns and index, so both hide the same rows. A second case gives the peer a plain table
 * with the public columns and an open policy instead, which is less work.
 */
const PACKAGES = ['@supabase/lite@0.10.0', 'postgres@3.4.9'];
const BOOKINGS = Number(process.env['BENCH_ROWS'] ?? 1_000_000);
const TOWNS = 200_000;
const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 3);
const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 5);
const VARIANTS = 15;
const PEER_KEY = `sb_publishable_${'b'.repeat(24)}`;
const READY_MS = 60_000;
/** Without these variables the peer sends usage data. */
const QUIET = { LITE_TELEMETRY: '0', DO_NOT_TRACK: '1' };

const OPEN_BOOKINGS = `
create table public.open_bookings (id uuid primary key default gen_random_uuid(), studio_id uuid not null, start_time timestamptz not null, end_time timestamptz not null, status text not null);
create index on public.open_bookings (studio_id, start_time, end_time);
alter table public.open_bookings enable row level security;
create policy open on public.open_bookings for select to anon using (true);
grant select on public.open_bookings to anon;
`;
/** The rows of `fillBookings`, for the peer. */
const PEER_FILL = ['private.booking', 'public.open_bookings']
  .map(
    (table) => `
insert into ${table} (id, studio_id, start_time, end_time, status)
select gen_random_uuid(), ('5a000000-0000-4000-8000-00000000000' || substr('abc', n % 3 + 1, 1))::uuid, timestamptz '${LAST}' - (n / 3 + 1) * interval '1 hour',
  timestamptz '${LAST}' - (n / 3) * interval '1 hour', 'confirmed' from generate_series(0, ${BOOKINGS} - 1) n;
analyze ${table};
`,
  )
  .join('');

/** Returns statements that create the table of bookings, without its constraints, and the views that hide rows from callers. */
async function bookingsForPeer(owner: pg.Client): Promise<string> {
  const { rows } = await owner.query<{ statements: string }>(`
    select concat_ws(E';\\n', 'create schema private',
      (select 'create table private.booking (' || string_agg(format('%I %s', attname, format_type(atttypid, atttypmod)), ', ' order by attnum) || ', primary key (id))'
        from pg_attribute where attrelid = 'private.booking'::regclass and attnum > 0 and not attisdropped),
      pg_get_indexdef('private.booking_availability'::regclass),
      'alter table private.booking enable row level security',
      'create table private.staff (user_id uuid primary key)',
      'create function public.is_staff() returns boolean language plpgsql stable security definer as $$ begin return exists (select from private.staff s where s.user_id = auth.uid()); end $$',
      'create view private.visible_booking with (security_barrier) as ' || rtrim(pg_get_viewdef('private.visible_booking'::regclass), ';'),
      'create view public.bookings with (security_barrier) as ' || rtrim(pg_get_viewdef('public.bookings'::regclass), ';'),
      'grant select on public.bookings to anon, authenticated;') as statements`);
  return rows[0]?.statements ?? '';
}

/** One side: its address, its key and the token of a customer. */
type Side = {
  readonly url: string;
  readonly key: string;
  readonly token: string;
  /** The relation that the second case reads. */
  readonly open: 'bookings' | 'open_bookings';
};
type Case = {
  readonly name: string;
  /** The least acceptable ratio to the peer. */
  readonly goal: number | null;
  /** The path of a read, by the number of the request; null for an insert by a customer. */
  readonly path: ((at: number, side: Side) => string) | null;
};

const time = (at: number): string => new Date(at).toISOString().replace('.000', '');

/** Returns the path for one of three rooms on one of five days. */
const hours = (at: number, bookings?: string): string =>
  availability(STUDIOS[at % 3] ?? '', Date.parse('2026-12-01T00:00:00Z') + (at % 5) * DAY, bookings).path;
function towns(select: string, at: number, days: number): string {
  const from = Date.UTC(2000, 0, 1) + ((at * 7_919) % (TOWNS / 24 - 3)) * DAY;
  return `/rest/v1/bench_town?select=${select}&at=gte.${time(from)}&at=lt.${time(from + days * DAY)}`;
}

const CASES: readonly Case[] = [
  { name: 'availability of two days', goal: 8, path: (at) => hours(at) },
  { name: 'open availability, beside a table', goal: null, path: (at, { open }) => hours(at, open) },
  {
    name: 'point',
    goal: null,
    path: (at) => `/rest/v1/bench_town?select=id,name,note&id=eq.${1 + ((at * 7_919) % TOWNS)}`,
  },
  { name: 'range of two days', goal: null, path: (at) => towns('id,name,at', at, 2) },
  { name: 'embedded', goal: null, path: (at) => towns('id,name,bench_land(id,name)', at, 1) },
  { name: 'insert', goal: null, path: null },
];

function createRequest({ path }: Case, side: Side, at: number): CallerRequest {
  const { key, token } = side;
  if (path) return { method: 'GET', path: path(at % VARIANTS, side), headers: { apikey: key } };
  const headers = { apikey: key, authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return { method: 'POST', path: '/rest/v1/bench_note', headers, body: '{"line":"note 1"}' };
}

/** Throws unless both sides answer a read with the same rows. */
async function requireSameRows(benchCase: Case, sides: readonly Side[]): Promise<void> {
  const answers = await Promise.all(
    sides.map(async (side) => {
      const { path, headers } = createRequest(benchCase, side, 1);
      const rows: unknown = await (await fetch(side.url + path, { headers })).json();
      const same = (_: string, value: unknown): unknown =>
        typeof value === 'string' && /^\d{4}-\d\d-\d\d[T ]/.test(value) ? Date.parse(value) : value;
      return Array.isArray(rows)
        ? rows.map((row) => JSON.stringify(JSON.parse(JSON.stringify(row), same))).toSorted()
        : [JSON.stringify(rows)];
    }),
  );
  if (answers[0]?.length === 0 || JSON.stringify(answers[0]) !== JSON.stringify(answers[1]))
    throw new Error(
      `${benchCase.name}: other answers: ${answers.map((rows) => rows.join().slice(0, 300)).join(' and ')}`,
    );
}

async function measure(benchCase: Case, ours: Side, peer: Side): Promise<void> {
  if (benchCase.path) await requireSameRows(benchCase, [ours, peer]);
  const rounds: { ours: number; peer: number }[] = [];
  const run = async (side: Side, seconds: number): Promise<number> => {
    const done = await load(side.url, {
      connections: CALLERS,
      seconds,
      make: (at) => createRequest(benchCase, side, at),
    });
    if (done.failed > 0) throw new Error(`${benchCase.name}: ${done.failed} requests to ${side.url} failed`);
    return done.perSecond;
  };
  for (const side of [ours, peer]) await run(side, 1);
  for (let round = 0; round < ROUNDS; round += 1)
    rounds.push({ ours: await run(ours, SECONDS), peer: await run(peer, SECONDS) });
  const ratios = rounds.map((round) => round.ours / round.peer);
  const goal =
    benchCase.goal === null ? '' : `, goal ${benchCase.goal}${median(ratios) < benchCase.goal ? ' MISSED' : ''}`;
  say(
    `${benchCase.name}: ${perSecond(median(rounds.map((round) => round.ours)))}, ${PACKAGES[0]} ${perSecond(median(rounds.map((round) => round.peer)))}; ratio ${spread(ratios, 1)}${goal}`,
  );
}

/** Installs the peer in a folder, migrates its database with its own command, fills it, and starts it. */
async function startPeer(
  folder: string,
  { databaseUrl, bookings, port }: { databaseUrl: string; bookings: string; port: number },
): Promise<{ side: Side; child: ChildProcess }> {
  await writeFile(join(folder, 'package.json'), '{"private":true}');
  await promisify(execFile)('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', ...PACKAGES], {
    cwd: folder,
  });
  await mkdir(join(folder, 'supabase', 'migrations'), { recursive: true });
  const secret = Array.from({ length: 4 }, () => Math.random().toString(36)).join('');
  await writeFile(
    join(folder, 'supabase', 'config.toml'),
    `project_id = "peer"\n[api]\nport = ${port}\n[db]\ndriver = "postgres"\nurl = "${databaseUrl}"\n[auth]\nenabled = true\nenable_signup = true\njwt_secret = "${secret}"\npublishable_key = "${PEER_KEY}"\nsecret_key = "sb_secret_${'b'.repeat(31)}"\n[auth.email]\nenable_confirmations = false\n`,
  );
  await writeFile(
    join(folder, 'supabase', 'migrations', '20260101000000_bench.sql'),
    REST_TABLES + OPEN_BOOKINGS + bookings,
  );
  const main = join(folder, 'node_modules', '@supabase', 'lite', 'dist', 'cli', 'index.js');
  const env = { ...process.env, ...QUIET };
  await promisify(execFile)(process.execPath, [main, 'migration', 'up'], { cwd: folder, env });
  const owner = new pg.Client({ connectionString: databaseUrl });
  await owner.connect();
  await owner.query(restRows(TOWNS) + PEER_FILL);
  await owner.end();
  const child = spawn(process.execPath, [main, 'start', '--no-admin'], { cwd: folder, env, stdio: 'ignore' });
  const url = `http://127.0.0.1:${port}`;
  return { child, side: { url, key: PEER_KEY, token: await signUp(url), open: 'open_bookings' } };
}

/** Returns the token of a new account of the peer once the peer answers. */
async function signUp(url: string): Promise<string> {
  const end = Date.now() + READY_MS;
  for (;;) {
    const answer = await fetch(`${url}/auth/v1/signup`, {
      method: 'POST',
      headers: { apikey: PEER_KEY, 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'bench@example.com', password: 'correct horse battery' }),
    }).catch(() => null);
    if (answer?.ok) {
      const { access_token: token }: { access_token?: string } = JSON.parse(await answer.text());
      if (token !== undefined) return token;
    }
    if (Date.now() > end) throw new Error(`the peer did not start: ${answer?.status} ${await answer?.text()}`);
    await new Promise((done) => setTimeout(done, 200));
  }
}

async function main(): Promise<void> {
  const server = await openBenchServer();
  const { databaseUrl, ports } = server;
  const owner = new pg.Client({ connectionString: databaseUrl });
  await owner.connect();
  await fillBookings(owner, BOOKINGS);
  await owner.query(`${REST_TABLES}${restRows(TOWNS)}notify pgrst, 'reload schema';`);
  await owner.query('analyze');
  const target = await compose(readConfig({ ...server.env, PORT: String(ports + 5) }));
  const { token } = await addCustomer(target, new Date());
  await target.close();
  const folder = await mkdtemp(join(tmpdir(), 'bench-peer-'));
  const database = await createTestDatabase();
  if (!database) throw new Error('TEST_POSTGRES_URL is not set');
  say(`${BOOKINGS.toLocaleString('en-AU')} bookings, ${TOWNS.toLocaleString('en-AU')} towns, ${CALLERS} callers`);
  const peer = await startPeer(folder, {
    databaseUrl: database.url,
    bookings: await bookingsForPeer(owner),
    port: ports + 6,
  });
  const ours: Side = { url: server.runtime.apiUrl, key: server.runtime.anonKey, token, open: 'bookings' };
  try {
    const selected = process.argv.slice(2);
    for (const benchCase of CASES.filter(
      ({ name }) => selected.length === 0 || selected.includes(name.split(' ')[0] ?? ''),
    ))
      await measure(benchCase, ours, peer.side);
  } finally {
    peer.child.kill();
    await owner.end();
    await server.close();
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  }
}

await main();
