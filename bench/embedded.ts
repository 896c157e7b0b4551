import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compose } from '#server/compose.ts';
import { readConfig } from '#server/config.ts';
import { type ServerProcess, startServer } from '#tests/support/server-process.ts';
import { freePorts } from '#tests/support/test-server.ts';
import { CALLERS, perSecond, say, spread } from './limits/compare.ts';
import { FILL } from './rows/bookings.ts';
import { availabilityPaths, STUDIOS } from './callers/availability.ts';
import type { CallerRequest } from './callers/connection.ts';
import { load, median } from './callers/load.ts';

/**
 * Measures the embedded database with 20,000 bookings over HTTP: reads per second, the 99th percentile of the event loop and the longest
 * wait of /healthz during the reads, and the time of a restart.
 */
const BOOKINGS = 20_000;
const FILLED_AT_ONCE = 2_000;
const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 4);
const ROUNDS = 3;
const GOAL_PER_SECOND = 2_000;
const GOAL_LOOP_MS = 20;

const FIRST = Date.parse('2026-12-08T00:00:00Z');
const AVAILABILITY = availabilityPaths(FIRST, 30);
const POINTS = STUDIOS.map((studio) => `/rest/v1/studios?select=id,name&id=eq.${studio}`);

/** Requests /healthz every 10 ms. The returned function stops it and returns the longest wait in milliseconds. */
function watchHealth(url: string): () => Promise<number> {
  let stopped = false;
  let longest = 0;
  const watching = (async () => {
    while (!stopped) {
      const began = performance.now();
      await (await fetch(`${url}/healthz`)).text();
      longest = Math.max(longest, performance.now() - began);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  })();
  return async () => {
    stopped = true;
    await watching;
    return longest;
  };
}

/** Returns the 99th percentile of the event loop's 10 ms timer since the last call, in milliseconds. */
async function readLoopLag(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(/^nodejs_eventloop_lag_p99_seconds (\S+)$/m.exec(text)?.[1] ?? Number.NaN) * 1000;
}

async function measure(
  server: ServerProcess,
  name: string,
  paths: readonly string[],
): Promise<{ rate: number; lag: number }> {
  const { apiUrl, anonKey } = server.runtime;
  const make = (at: number): CallerRequest => ({
    method: 'GET',
    path: paths[at % paths.length] ?? '',
    headers: { apikey: anonKey },
  });
  await load(apiUrl, { connections: CALLERS, seconds: 2, make });
  const rates: number[] = [];
  const medians: number[] = [];
  const lags: number[] = [];
  const stop = watchHealth(apiUrl);
  for (let round = 0; round < ROUNDS; round += 1) {
    await readLoopLag(apiUrl);
    const result = await load(apiUrl, { connections: CALLERS, seconds: SECONDS, make });
    lags.push(await readLoopLag(apiUrl));
    if (result.failed > 0) throw new Error(`${name}: ${result.failed} requests failed`);
    rates.push(result.perSecond);
    medians.push(result.medianMs);
  }
  const waited = await stop();
  say(
    `${name}: ${spread(rates, 0)} per second, median ${median(medians).toFixed(2)} ms; event loop p99 ${spread(lags, 1)} ms; /healthz waited at most ${Math.round(waited)} ms`,
  );
  return { rate: median(rates), lag: median(lags) };
}

/** Fills a new database through the server's own code, while no server runs on it. */
async function fill(env: Readonly<Record<string, string>>): Promise<void> {
  const target = await compose(readConfig(env));
  // The batches keep each statement within the engine's time limit.
  for (let filled = 0; filled < BOOKINGS; filled += FILLED_AT_ONCE)
    await target.db.query(FILL, [filled, filled + FILLED_AT_ONCE]);
  await target.db.query('analyze');
  await target.close();
}

async function main(): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'bench-embedded-'));
  const ports = await freePorts();
  const env = {
    PORT: String(ports + 8),
    DATA_DIR: dataDir,
    SANDBOX_PORT: String(ports),
    RATE_LIMIT_FACTOR: '1000000',
    LOG_LEVEL: 'silent',
  };
  await fill(env);
  let server = await startServer(env);
  const starts: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    await server.kill('SIGTERM');
    const began = performance.now();
    server = await startServer(env);
    starts.push(performance.now() - began);
  }
  say(`second start with ${BOOKINGS.toLocaleString('en-AU')} bookings: ${Math.round(median(starts))} ms`);
  const { rate, lag } = await measure(server, 'availability', AVAILABILITY);
  const missed = rate < GOAL_PER_SECOND || lag > GOAL_LOOP_MS ? ' MISSED' : '';
  say(`  goal ${perSecond(GOAL_PER_SECOND)}, event loop p99 under ${GOAL_LOOP_MS} ms${missed}`);
  await measure(server, 'point read', POINTS);
  await server.kill('SIGTERM');
  await rm(dataDir, { recursive: true, force: true });
}

await main();
