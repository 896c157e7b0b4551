import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { accountId, type Amounts, fillBookings, fillRelated } from '#tests/scale/many-rows.ts';
import { compose } from '#server/compose.ts';
import { readConfig } from '#server/config.ts';
import { startServer } from '#tests/support/server-process.ts';
import { addCustomer, freePorts, STUDIO_A } from '#tests/support/test-server.ts';
import { type ProductQuery, productQueries } from '#tests/scale/product-queries.ts';
import { type CallerRequest, openConnection, quantile } from '../callers/connection.ts';

/**
 * Measures every query of the product on databases of different sizes: the median at the largest may be 1.3 times that at the smallest of
 * its row. `npm run bench -- scale` measures all sizes; with words such as `fill 10000000x3000`, `measure …`, `drop …` and `report` it does
 * one step, because filling the largest takes longer than a pause between other work.
 */
const SIZES = ['10000x3', '100000x3', '100000x3000', '1000000x3000', '10000000x3000'] as const;
const ROWS = [SIZES.slice(0, 2), SIZES.slice(2)];
const WARM_UPS = 30;
const REPEATS = Number(process.env['BENCH_REPEATS'] ?? 60);
const FACTOR = 1.3;
/** A difference smaller than this is the machine's, not the database's. */
const NOISE_MS = 0.3;
const RESULTS = new URL('../../artefacts/scale/', import.meta.url).pathname;

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const serverUrl = process.env['TEST_POSTGRES_URL'] ?? '';

type Measured = {
  readonly size: string;
  readonly databaseMb: number;
  readonly indexMb: number;
  readonly queries: Readonly<Record<string, { readonly ms: number; readonly plan: readonly string[] }>>;
};

function urlOf(size: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/scale_${size}`;
  return url.href;
}
const amountsOf = (size: string): Amounts => {
  const [bookings = 0, studios = 0] = size.split('x').map(Number);
  // A hundred bookings each.
  return { bookings, studios, accounts: bookings / 100 };
};

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Creates, migrates, seeds and fills the database of a size. */
async function fill(size: string): Promise<void> {
  await drop(size);
  await withClient(serverUrl, (client) => client.query(`create database "scale_${size}"`));
  await withServer(size, () => Promise.resolve());
  const began = performance.now();
  await withClient(urlOf(size), async (client) => {
    const run = (text: string, values?: readonly unknown[]) => client.query(text, values ? [...values] : undefined);
    await run(`set maintenance_work_mem = '1GB'`);
    await run('set max_parallel_maintenance_workers = 0');
    await run('set synchronous_commit = off');
    const amounts = amountsOf(size);
    await fillBookings(run, amounts);
    say(`${size}: bookings after ${Math.round((performance.now() - began) / 1_000)} s`);
    await fillRelated(run, amounts);
    await run('checkpoint');
  });
  say(`${size}: filled in ${Math.round((performance.now() - began) / 1_000)} s`);
}

const drop = (size: string): Promise<unknown> =>
  withClient(serverUrl, (client) => client.query(`drop database if exists "scale_${size}" with (force)`));

type Running = { readonly url: string; readonly anonKey: string; readonly env: Readonly<Record<string, string>> };

/** Runs `work` while a server serves the database of a size. */
async function withServer<T>(size: string, work: (running: Running) => Promise<T>): Promise<T> {
  const dataDir = await mkdtemp(join(tmpdir(), 'bench-scale-'));
  const ports = await freePorts();
  const env = {
    PORT: String(ports + 8),
    DATA_DIR: dataDir,
    DATABASE_URL: urlOf(size),
    SANDBOX_PORT: String(ports),
    RATE_LIMIT_FACTOR: '1000000',
    REST_GUEST_PER_MINUTE: '1000000',
    PGRST_DB_PLAN_ENABLED: 'true',
    LOG_LEVEL: 'silent',
  };
  const server = await startServer(env);
  try {
    return await work({ url: server.runtime.apiUrl, anonKey: server.runtime.anonKey, env: { ...env, PORT: '0' } });
  } finally {
    await server.kill('SIGTERM');
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function measure(size: string): Promise<void> {
  const measured = await withServer(size, async (running) => {
    const app = await compose(readConfig(running.env));
    const customer = await addCustomer(app, new Date());
    const staff = await addCustomer(app, new Date());
    await app.close();
    return withClient(urlOf(size), async (client) => {
      await client.query(`insert into public.user_roles (user_id, role) values ($1, 'admin')`, [staff.id]);
      await client.query('set session_replication_role = replica');
      await client.query('update private.booking set user_id = $1 where user_id = $2', [customer.id, accountId(1)]);
      await client.query('reset session_replication_role');
      const queries = productQueries({ customerId: customer.id, studioId: STUDIO_A, now: new Date() });
      const bearers = { guest: running.anonKey, customer: customer.token, staff: staff.token };
      const results: Record<string, { ms: number; plan: readonly string[] }> = {};
      for (const query of queries) {
        const request = requestOf(query, running.anonKey, bearers[query.sender]);
        results[query.name] = {
          ms: await medianOf(running.url, query.name, request),
          plan: await scansOf(running.url, client, query, request, staff.id),
        };
      }
      return { size, ...(await sizesOf(client)), queries: results };
    });
  });
  await mkdir(RESULTS, { recursive: true });
  await writeFile(join(RESULTS, `${size}.json`), JSON.stringify(measured satisfies Measured, null, 2));
  say(`${size}: measured, database ${measured.databaseMb} MB, indexes ${measured.indexMb} MB`);
}

function requestOf(query: ProductQuery, anonKey: string, bearer: string): CallerRequest {
  const headers = { apikey: anonKey, authorization: `Bearer ${bearer}`, 'content-type': 'application/json' };
  const path = `/rest/v1/${query.path}`;
  if (!query.body) return { method: 'GET', path, headers };
  return { method: 'POST', path, headers, body: JSON.stringify(query.body) };
}

async function medianOf(url: string, name: string, request: CallerRequest): Promise<number> {
  const connection = await openConnection(url);
  const times: number[] = [];
  for (let at = 0; at < WARM_UPS + REPEATS; at += 1) {
    const { status, ms } = await connection.send(request);
    if (status >= 300 || status === 0) throw new Error(`${name}: ${status}`);
    if (at >= WARM_UPS) times.push(ms);
  }
  connection.close();
  return quantile(times, 0.5);
}

/** The scans of a query's plan: by the API for reads, and by `auto_explain` for what runs inside a function. */
async function scansOf(
  url: string,
  client: pg.Client,
  { body, path }: ProductQuery,
  { headers }: CallerRequest,
  staffId: string,
): Promise<string[]> {
  if (!body) {
    const answer = await fetch(`${url}/rest/v1/${path}`, {
      headers: { ...headers, accept: 'application/vnd.pgrst.plan+text' },
    });
    return scans(await answer.text());
  }
  const notices: string[] = [];
  const listen = (notice: { message?: string | undefined }): void => void notices.push(notice.message ?? '');
  client.on('notice', listen);
  await client.query(`load 'auto_explain'`);
  await client.query(
    `select set_config('auto_explain.log_min_duration', '0', false), set_config('auto_explain.log_nested_statements', 'on', false), set_config('client_min_messages', 'log', false), set_config('request.jwt.claims', $1, false)`,
    [JSON.stringify({ role: 'authenticated', sub: staffId })],
  );
  const name = path.replace('rpc/', '').replace(/\?.*/, '');
  const parameters = Object.keys(body).map((key, at) => `${key} => $${at + 1}`);
  await client.query(`select count(*) from public.${name}(${parameters.join(', ')})`, Object.values(body));
  await client.query(`set auto_explain.log_min_duration = -1`);
  client.off('notice', listen);
  return scans(notices.join('\n'));
}

/** The lines of a plan that read a table, without costs, each once. */
function scans(plan: string): string[] {
  const lines = plan
    .split('\n')
    .filter((line) => /Scan/.test(line) && !/Function Scan|CTE Scan|Subquery Scan/.test(line));
  return [
    ...new Set(
      lines.map((line) =>
        line
          .replace(/^[\s>-]+/, '')
          .replace(/\s+\(cost.*/, '')
          .trim(),
      ),
    ),
  ];
}

async function sizesOf(client: pg.Client): Promise<{ databaseMb: number; indexMb: number }> {
  const { rows } = await client.query<{ all: number; indexes: number }>(
    `select (pg_database_size(current_database()) / 1048576)::int as all,
       (select (sum(pg_indexes_size(c.oid)) / 1048576)::int from pg_class c where c.relkind = 'r') as indexes`,
  );
  return { databaseMb: rows[0]?.all ?? 0, indexMb: rows[0]?.indexes ?? 0 };
}

/** Prints the tables as Markdown; returns whether every query is flat. */
async function report(): Promise<boolean> {
  const files = await readdir(RESULTS).catch(() => []);
  const all = new Map<string, Measured>();
  for (const file of files) {
    const one: Measured = JSON.parse(await readFile(join(RESULTS, file), 'utf8'));
    all.set(one.size, one);
  }
  let flat = true;
  for (const sizes of ROWS) {
    const row = sizes.flatMap((size) => all.get(size) ?? []);
    const [first] = row;
    const last = row.at(-1);
    if (!first || !last) continue;
    say(`| query, ms | ${row.map(({ size }) => size).join(' | ')} | ratio | scans |`);
    say(`|---|${row.map(() => '---|').join('')}---|---|`);
    for (const name of Object.keys(last.queries)) {
      const times = row.map((one) => one.queries[name]?.ms ?? Number.NaN);
      const [smallest, largest] = [times[0] ?? Number.NaN, times.at(-1) ?? Number.NaN];
      const ratio = largest / smallest;
      const grows = ratio > FACTOR && largest - smallest > NOISE_MS;
      flat &&= !grows;
      say(
        `| ${name} | ${times.map((ms) => ms.toFixed(2)).join(' | ')} | ${ratio.toFixed(2)}${grows ? ' MISSED' : ''} | ${last.queries[name]?.plan.join('; ') ?? ''} |`,
      );
    }
    say(`| database, MB | ${row.map((one) => one.databaseMb).join(' | ')} | | |`);
    say(`| of it indexes, MB | ${row.map((one) => one.indexMb).join(' | ')} | | |`);
  }
  return flat;
}

const steps = { fill, measure, drop };
const [step, ...named] = process.argv.slice(2);
if (step === 'fill' || step === 'measure' || step === 'drop') for (const size of named) await steps[step](size);
else if (step !== 'report') for (const size of SIZES) for (const one of [fill, measure, drop]) await one(size);
if (step === undefined || step === 'report') process.exitCode = (await report()) ? 0 : 1;
