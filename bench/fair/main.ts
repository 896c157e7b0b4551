import { mkdtemp, rm } from 'node:fs/promises';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { compose } from '#server/compose.ts';
import { readConfig } from '#server/config.ts';
import { startServer } from '#tests/support/server-process.ts';
import { addCustomer, freePorts } from '#tests/support/test-server.ts';
import { HOUR, startInstantPayments } from '../callers/holds.ts';
import { type Answer, callSteadily, quantile } from '../callers/connection.ts';
import { fillBookings } from '#tests/scale/many-rows.ts';
import { openBenchServer } from '../test-server.ts';
import { type LightCaller, lightCallers, sendExpensive, type Target } from './callers.ts';
import { measureBusyAccounts } from './busy-accounts.ts';
import { measureJson } from './json.ts';

/**
 * Measures light callers while twelve guests send expensive reads, compared with the same callers on an idle server: on PostgreSQL
 * (`postgres`), and on the embedded database (`embedded`). `json` and `accounts` measure other callers of the embedded database.
 */
const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 15);
const BOOKINGS = 1_000_000;
const BOOKINGS_EMBEDDED = Number(process.env['BENCH_BOOKINGS'] ?? 20_000);
/** The filled calendar ends two weeks from now. */
const FREE_FROM = Math.ceil(Date.now() / HOUR) * HOUR + 15 * 24 * HOUR;
const PAUSE_MS = 20;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

async function measure(target: Target, callers: readonly LightCaller[]): Promise<Map<string, Answer[]>> {
  const until = performance.now() + SECONDS * 1_000;
  const answers = await Promise.all(
    callers.map(({ make }) => callSteadily(target.url, { until, pauseMs: PAUSE_MS, make })),
  );
  return new Map(callers.map(({ name }, index) => [name, answers[index] ?? []]));
}

const formatCounts = (answers: readonly Answer[]): string =>
  [...Map.groupBy(answers, ({ status }) => status)].map(([status, all]) => `${status}: ${all.length}`).join(', ');

async function report(engine: string, target: Target, goalMs: number): Promise<boolean> {
  const callers = lightCallers(target, FREE_FROM);
  await measure({ ...target }, callers.slice(0, 1));
  const idle = await measure(target, callers);
  const heavy = sendExpensive(target, performance.now() + (SECONDS + 1) * 1_000);
  await new Promise((resolve) => setTimeout(resolve, 500));
  const loaded = await measure(target, callers);
  const heavyAnswers = (await heavy).flat();
  say(
    `${engine}, twelve guests with expensive reads (${formatCounts(heavyAnswers)}; median ${Math.round(
      quantile(
        heavyAnswers.map((answer) => answer.ms),
        0.5,
      ),
    )} ms)`,
  );
  let reached = true;
  for (const { name } of callers) {
    const [before, under] = [idle, loaded].map((all) => (all.get(name) ?? []).map(({ ms }) => ms));
    const p99 = quantile(under ?? [], 0.99);
    reached &&= p99 <= goalMs;
    const show = (values: readonly number[] | undefined): string =>
      [0.5, 0.99, 1].map((part) => quantile(values ?? [], part).toFixed(1)).join(' / ');
    say(
      `  ${name}: p50 / p99 / longest ${show(under)} ms, idle ${show(before)} ms, goal p99 ${goalMs} ms${p99 <= goalMs ? '' : ' MISSED'}; ${formatCounts(loaded.get(name) ?? [])}`,
    );
  }
  return reached;
}

const OPEN = {
  RATE_LIMIT_FACTOR: '1000000',
  REST_GUEST_PER_MINUTE: '1000000',
  TRUSTED_PROXIES: '1',
  LOG_LEVEL: 'silent',
};

async function onPostgres(): Promise<boolean> {
  const bench = await openBenchServer(OPEN);
  const owner = new pg.Client({ connectionString: bench.databaseUrl });
  await owner.connect();
  await fillBookings((text, values) => owner.query(text, [...(values ?? [])]), {
    bookings: BOOKINGS,
    studios: 3,
    accounts: 1_000,
  });
  await owner.end();
  const app = await compose(readConfig({ ...bench.env, PORT: String(bench.ports + 5) }));
  const { token } = await addCustomer(app, new Date());
  await app.close();
  const { apiUrl: url, anonKey } = bench.runtime;
  const provider = await startInstantPayments(bench.ports + 1);
  const reached = await report(`PostgreSQL, ${BOOKINGS} bookings`, { url, anonKey, token }, 100);
  await bench.close();
  stop(provider);
  return reached;
}

async function onEmbedded(): Promise<boolean> {
  const dataDir = await mkdtemp(join(tmpdir(), 'bench-fair-'));
  const ports = await freePorts();
  const env = { ...OPEN, PORT: String(ports + 8), DATA_DIR: dataDir, SANDBOX_PORT: String(ports) };
  const app = await compose(readConfig(env));
  await fillBookings((text, values) => app.db.query(text, values), {
    bookings: BOOKINGS_EMBEDDED,
    studios: 3,
    accounts: 1_000,
  });
  const { token } = await addCustomer(app, new Date());
  await app.close();
  const provider = await startInstantPayments(ports + 1);
  const server = await startServer(env);
  const { apiUrl: url, anonKey } = server.runtime;
  const reached = await report(`embedded, ${BOOKINGS_EMBEDDED} bookings`, { url, anonKey, token }, 300);
  await server.kill('SIGTERM');
  stop(provider);
  await rm(dataDir, { recursive: true, force: true });
  return reached;
}

/** Closes a server with its connections, because a client's idle connections would keep it open. */
function stop(server: Server): void {
  server.close();
  server.closeAllConnections();
}

const cases = { postgres: onPostgres, embedded: onEmbedded, json: measureJson, accounts: measureBusyAccounts };
const [, , requested] = process.argv;
let reached = true;
for (const [name, run] of Object.entries(cases))
  if (requested === undefined || requested === name) reached = (await run()) && reached;
process.exitCode = reached ? 0 : 1;
