import { createServer, type Server } from 'node:http';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import pg from 'pg';
import { compose } from '#server/compose.ts';
import { readConfig } from '#server/config.ts';
import { startServer } from '#tests/support/server-process.ts';
import { addCustomer, STUDIO_A } from '#tests/support/test-server.ts';
import { openBenchServer } from './test-server.ts';
import { type Load, load, median } from './load.ts';
import { pgbench } from './pgbench.ts';

/** Measures availability and holds over HTTP beside pgbench running the same SQL on the same server, and beside a bare route. */
const CONNECTIONS = 16;
const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 8);
const MANY = Number(process.env['BENCH_ROWS'] ?? 1_000_000);
/** Our API and pgbench alternate this many times; the median of the ratios counts. */
const ROUNDS = 5;
const FEW = 10_000;
/** The end of the newest booking, after the days that are queried. */
const LAST = '2026-12-20T00:00:00Z';
const HOLDERS = 400;
const HOUR = 3_600_000;

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const number = (value: number): string => value.toLocaleString('en-AU');
const perSecond = (value: number): string => `${Math.round(value).toLocaleString('en-AU')}/s`;

/** A payment provider that answers at once, so that only our own time is measured. */
async function instantPayments(port: number): Promise<Server> {
  let made = 0;
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => void (body += chunk.toString()));
    request.on('end', () => {
      made += 1;
      const booking = new URLSearchParams(body).get('client_reference_id');
      response.setHeader('content-type', 'application/json');
      response.end(
        JSON.stringify({
          id: `cs_bench_${made}`,
          object: 'checkout.session',
          url: 'http://localhost/pay',
          status: 'open',
          payment_status: 'unpaid',
          amount_total: 4900,
          currency: 'aud',
          client_reference_id: booking,
          livemode: false,
          metadata: {},
        }),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(port, resolve));
  return server;
}

/** Fills the three studios with one-hour bookings, backwards from LAST without a gap: the queried days are as full as possible. */
async function fill(owner: pg.Client, from: number, to: number): Promise<void> {
  await owner.query(`set session_replication_role = replica`);
  await owner.query(`alter table private.booking drop constraint if exists booking_one_per_slot`);
  await owner.query(
    `insert into private.booking (reference, studio_id, studio_name, start_time, end_time, status, total_hours, base_cost_cents, final_cost_cents, notes, confirmed_at)
     select upper(substr(md5(n::text), 1, 4) || '-' || substr(md5(n::text || 'x'), 1, 4)) , s.id, s.name, timestamptz '${LAST}' - (n / 3 + 1) * interval '1 hour', timestamptz '${LAST}' - (n / 3) * interval '1 hour', 'confirmed', 1, 4900, 4900, 'test', now()
     from generate_series($1::int, $2::int - 1) n join (select id, name, row_number() over (order by name) - 1 as at from public.studios) s on s.at = n % 3 on conflict do nothing`,
    [from, to],
  );
  await owner.query(
    `alter table private.booking add constraint booking_one_per_slot exclude using gist (studio_id with =, during with &&) where (status in ('pending', 'confirmed'))`,
  );
  await owner.query('reset session_replication_role');
  await owner.query('vacuum analyze private.booking');
}

const DAY = '2026-12-08';
const COLUMNS = 't."studio_id", t."start_time", t."end_time", t."status"';
const AVAILABILITY = `select coalesce(json_agg(row_to_json(r.*)), '[]')::text as body, count(*) as count, null::bigint as total from (select ${COLUMNS} from public."bookings" t where not (t."status" = 'cancelled'::text) and (t."studio_id" = '${STUDIO_A}'::uuid) and (t."start_time" >= '${DAY}T00:00:00Z'::timestamp with time zone) and (t."start_time" < '2026-12-11T00:00:00Z'::timestamp with time zone) and (t."end_time" > '2026-12-09T00:00:00Z'::timestamp with time zone) limit 1000 offset 0) r`;
const availabilityPath = `/rest/v1/bookings?select=studio_id,start_time,end_time,status&studio_id=eq.${STUDIO_A}&status=neq.cancelled&start_time=gte.${DAY}T00:00:00Z&start_time=lt.2026-12-11T00:00:00Z&end_time=gt.2026-12-09T00:00:00Z`;

type Bench = {
  readonly url: string;
  readonly anonKey: string;
  readonly databaseUrl: string;
  readonly owner: pg.Client;
  readonly ports: number;
  readonly env: Readonly<Record<string, string>>;
};

const askAvailability = (url: string, anonKey: string): Promise<Load> =>
  load(url, {
    connections: CONNECTIONS,
    seconds: SECONDS,
    make: () => ({ method: 'GET', path: availabilityPath, headers: { apikey: anonKey } }),
  });

async function measureAvailability(bench: Bench): Promise<void> {
  const { owner } = bench;
  const ask = (): Promise<Load> => askAvailability(bench.url, bench.anonKey);
  await fill(owner, 0, FEW);
  await ask();
  const rounds = [await ask(), await ask(), await ask()];
  const few = median(rounds.map((one) => one.perSecond));
  say(
    `availability, ${number(FEW)} bookings: ${perSecond(few)}, median ${median(rounds.map((one) => one.medianMs)).toFixed(2)} ms`,
  );
  await fill(owner, FEW, MANY);
  const script = `begin;\nselect set_config('request.jwt.claims', '{"role":"anon"}', true), set_config('role', 'anon', true);\n${AVAILABILITY};\ncommit;\n`;
  const turns: { ours: number; limit: number }[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const ours = await ask();
    const limit = await pgbench(bench.databaseUrl, script, { connections: CONNECTIONS, seconds: SECONDS });
    turns.push({ ours: ours.perSecond, limit });
    say(
      `availability, ${number(MANY)} bookings: ${perSecond(ours.perSecond)}, pgbench ${perSecond(limit)}, ratio ${(ours.perSecond / limit).toFixed(2)}, ${ours.failed} failed`,
    );
  }
  const ratio = median(turns.map(({ ours, limit }) => ours / limit));
  const ours = median(turns.map((turn) => turn.ours));
  say(`availability beside pgbench: ${ratio.toFixed(2)} (goal 0.45)`);
  say(`availability at ${number(MANY)} beside ${number(FEW)}: ${(ours / few).toFixed(2)} (goal 0.80)`);
  const bare = serve({ fetch: new Hono().get('/', (c) => c.json([])).fetch, port: bench.ports + 6 });
  const route = await load(`http://localhost:${bench.ports + 6}`, {
    connections: CONNECTIONS,
    seconds: 3,
    make: () => ({ method: 'GET', path: '/', headers: {} }),
  });
  bare.close();
  say(`a bare route, in the load's own process: ${perSecond(route.perSecond)}`);
}

async function measureHolds(bench: Bench): Promise<void> {
  const { owner } = bench;
  const target = await compose(readConfig({ ...bench.env, PORT: String(bench.ports + 5) }));
  const customers: { id: string; token: string }[] = [];
  for (let at = 0; at < HOLDERS; at += 1) customers.push(await addCustomer(target, new Date()));
  await target.close();
  await owner.query('delete from private.booking where start_time > now()');
  const seconds = Math.min(SECONDS, 6);
  const begin = Math.ceil(Date.now() / HOUR) * HOUR + HOUR;
  await load(bench.url, {
    connections: CONNECTIONS,
    seconds,
    make: (at) => holdRequest(customers[at % HOLDERS]?.token ?? '', at, begin),
  });
  const made = await owner.query<{ n: number }>(
    `select count(*)::int as n from private.booking where status = 'pending'`,
  );
  const held = (made.rows[0]?.n ?? 0) / seconds;
  const ids = customers.map((one) => `'${one.id}'`).join(',');
  await owner.query(
    `create table private.bench_user as select row_number() over () as at, id from unnest(array[${ids}]::uuid[]) id`,
  );
  await owner.query('create sequence private.bench_hour start 3000000');
  const limit = await pgbench(bench.databaseUrl, HOLD_SCRIPT, { connections: CONNECTIONS, seconds: SECONDS });
  say(
    `holds: ${perSecond(held)}, pgbench with the same statements ${perSecond(limit)}, ratio ${(held / limit).toFixed(2)} (goal 0.20)`,
  );
}

/** The hold with number `at`: another hour of another studio each time. */
function holdRequest(
  token: string,
  at: number,
  begin: number,
): { method: string; path: string; headers: Record<string, string>; body: string } {
  const start = begin + Math.floor(at / 3) * HOUR;
  const studioId = `5a000000-0000-4000-8000-00000000000${'abc'[at % 3] ?? 'a'}`;
  const metadata = {
    studioId,
    startTime: new Date(start).toISOString(),
    endTime: new Date(start + HOUR).toISOString(),
    couponCode: null,
    termsAccepted: true,
  };
  return {
    method: 'POST',
    path: '/functions/v1/create-payment',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ metadata }),
  };
}

const HOLD_SCRIPT = `\\set u random(1, ${HOLDERS})
select private.take_limit('create-payment', 'user:' || :u, 1000000, 60, now());
select private.checkout_json((select id from private.bench_user where at = :u), '${STUDIO_A}', null, 1, now());
select private.hold_booking(jsonb_build_object('userId', (select id from private.bench_user where at = :u), 'studioId', '${STUDIO_A}', 'studioName', 'Studio A', 'startTime', timestamptz '1980-01-01' + h * interval '1 hour', 'endTime', timestamptz '1980-01-01' + (h + 1) * interval '1 hour', 'holdExpiresAt', now() + interval '15 minutes', 'sessionExpiresAt', now() + interval '31 minutes', 'totalHours', 1, 'slots', '[]'::jsonb, 'baseCostCents', 4900, 'discountCents', 0, 'couponDiscountCents', 0, 'finalCostCents', 4900, 'termsVersion', '2025-10', 'policy', '{}'::jsonb, 'maxLiveHolds', 1000000, 'holdsPerHour', 1000000), now()) from nextval('private.bench_hour') h;
update private.payment set state = 'open', session_id = 'cs_' || gen_random_uuid(), url = 'x' where id = (select id from private.payment where state = 'intent' limit 1 for update skip locked);
`;

/** Measures the embedded database, without bookings. */
async function measureEmbedded(ports: number): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'bench-embedded-'));
  const server = await startServer({
    PORT: String(ports + 4),
    DATA_DIR: dataDir,
    SANDBOX_PORT: String(ports),
    RATE_LIMIT_FACTOR: '1000000',
    LOG_LEVEL: 'silent',
  });
  await askAvailability(server.runtime.apiUrl, server.runtime.anonKey);
  const embedded = await askAvailability(server.runtime.apiUrl, server.runtime.anonKey);
  say(
    `availability on the embedded database, empty: ${perSecond(embedded.perSecond)}, median ${embedded.medianMs.toFixed(2)} ms`,
  );
  await server.kill('SIGTERM');
  await rm(dataDir, { recursive: true, force: true });
}

async function main(): Promise<void> {
  const target = await openBenchServer();
  const { ports, databaseUrl, env } = target;
  const provider = await instantPayments(ports + 1);
  const owner = new pg.Client({ connectionString: databaseUrl });
  await owner.connect();
  const bench: Bench = { url: target.runtime.apiUrl, anonKey: target.runtime.anonKey, databaseUrl, owner, ports, env };
  await measureAvailability(bench);
  await measureHolds(bench);
  await measureEmbedded(ports);
  await owner.end();
  await target.close();
  await new Promise<void>((resolve) => {
    provider.close(() => resolve());
    provider.closeAllConnections();
  });
}

await main();
