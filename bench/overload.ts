import { monitorEventLoopDelay } from 'node:perf_hooks';
import pg from 'pg';
import { compose } from '#server/compose.ts';
import { readConfig } from '#server/config.ts';
import { addCustomer } from '#tests/support/test-server.ts';
import { availabilityPaths, DAY } from './callers/availability.ts';
import { type Answer, callAtRate, type CallerRequest, openConnection, quantile } from './callers/connection.ts';
import { load } from './callers/load.ts';
import { processorTime } from './callers/processor-time.ts';
import { fillBookings, LAST } from './rows/bookings.ts';
import { openBenchServer } from './test-server.ts';

/**
 * Measures the server at three times its capacity: accepted and refused requests, and the time that it takes to recover. Guests and
 * customers request the hours of three rooms on 28 days, among 100,000 bookings, because a single address would measure the sharing of
 * equal reads.
 */
const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 8);
const FACTOR = 3;
const CALLERS = 32;
/** The connections of the callers, which a proxy would keep open. */
const CONNECTIONS = 1_000;
/**
 * The server has recovered after this many consecutive answers within five times the idle median or within `QUICK_MS`, whichever is longer.
 */
const IN_A_ROW = 20;
const QUICK_MS = 20;
/** The rows of the table of bookings, and the days that callers request. */
const ROWS = 100_000;
const DAYS = 30;

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const AVAILABILITY = availabilityPaths(Date.parse(LAST) - DAYS * DAY, DAYS - 2);

const show = (answers: readonly Answer[]): string =>
  [0.5, 0.99, 1]
    .map((part) =>
      quantile(
        answers.map(({ ms }) => ms),
        part,
      ).toFixed(1),
    )
    .join(' / ');

/** Returns the seconds until the server answers as fast as when idle. */
async function recovery(url: string, request: CallerRequest, idleMs: number): Promise<number> {
  const began = performance.now();
  const connection = await openConnection(url);
  for (let quick = 0; quick < IN_A_ROW;) {
    const { status, ms } = await connection.send(request);
    quick = status === 200 && ms <= Math.max(QUICK_MS, idleMs * 5) ? quick + 1 : 0;
  }
  connection.close();
  return (performance.now() - began) / 1_000;
}

/** Returns a function that describes the processor time used by the server and these callers, which must not be the bottleneck. */
async function startUsage(pid: number): Promise<() => Promise<string>> {
  const [began, server, callers] = [performance.now(), await processorTime(pid), process.cpuUsage()];
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  return async () => {
    delay.disable();
    const seconds = (performance.now() - began) / 1_000;
    const { user, system } = process.cpuUsage(callers);
    const cores = ((await processorTime(pid)) - server) / seconds;
    return `cores used: server ${cores.toFixed(2)}, callers ${((user + system) / 1e6 / seconds).toFixed(2)}; the callers' event loop was late by ${(delay.percentile(99) / 1e6).toFixed(0)} ms (p99)`;
  };
}

async function main(): Promise<void> {
  const bench = await openBenchServer({ REST_GUEST_PER_MINUTE: '1000000' });
  const app = await compose(readConfig({ ...bench.env, PORT: String(bench.ports + 5) }));
  const { token } = await addCustomer(app, new Date());
  await app.close();
  const owner = new pg.Client({ connectionString: bench.databaseUrl });
  await owner.connect();
  await fillBookings(owner, ROWS);
  await owner.end();
  const { apiUrl: url, anonKey } = bench.runtime;
  const guest = { apikey: anonKey };
  const customer = { apikey: anonKey, authorization: `Bearer ${token}` };
  const hours = (at: number, headers: CallerRequest['headers']): CallerRequest => ({
    method: 'GET',
    path: AVAILABILITY[at % AVAILABILITY.length] ?? '',
    headers,
  });
  const access: CallerRequest = {
    method: 'GET',
    path: '/functions/v1/regenerate-pin?booking_id=5a000000-0000-4000-8000-00000000ffff',
    headers: customer,
  };
  // Of twenty requests, fourteen are guests', five are customers', and one requests an access code.
  const make = (at: number): CallerRequest => (at % 20 === 0 ? access : hours(at, at % 4 === 1 ? customer : guest));
  await load(url, { connections: CALLERS, seconds: 3, make });
  const capacity = await load(url, { connections: CALLERS, seconds: 4, make });
  say(
    `capacity: ${Math.round(capacity.perSecond)}/s with ${CALLERS} callers, median ${capacity.medianMs.toFixed(2)} ms`,
  );
  const offered = capacity.perSecond * FACTOR;
  const used = await startUsage(bench.runtime.pid);
  const answers = await callAtRate(url, { connections: CONNECTIONS, perSecond: offered, seconds: SECONDS, make });
  say(await used());
  const seconds = await recovery(url, hours(0, guest), capacity.medianMs);
  const accepted = answers.filter(({ status }) => status !== 503 && status !== 0);
  const refused = answers.filter(({ status }) => status === 503);
  const wrong = answers.filter(({ status }) => status === 0 || (status >= 500 && status !== 503)).length;
  const unsaid = refused.filter(({ retryAfter }) => retryAfter === null).length;
  say(
    `offered ${Math.round(offered)}/s for ${SECONDS} s: ${accepted.length} accepted (${Math.round(accepted.length / SECONDS)}/s), ${refused.length} refused, ${wrong} failed`,
  );
  say(`  accepted: p50 / p99 / longest ${show(accepted)} ms (goal p99 1,000 ms)`);
  say(`  refused: p50 / p99 / longest ${show(refused)} ms (goal p99 50 ms), ${unsaid} without Retry-After`);
  say(`  recovered after ${seconds.toFixed(2)} s (goal 5 s)`);
  const times = (of: readonly Answer[]): number =>
    quantile(
      of.map(({ ms }) => ms),
      0.99,
    );
  const missed = [
    times(accepted) > 1_000 && 'accepted',
    refused.length > 0 && times(refused) > 50 && 'refused',
    wrong + unsaid > 0 && 'failures',
    seconds > 5 && 'recovery',
  ].filter(Boolean);
  if (missed.length > 0) say(`  MISSED: ${missed.join(', ')}`);
  process.exitCode = missed.length === 0 ? 0 : 1;
  await bench.close();
}

await main();
