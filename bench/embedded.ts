import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ServerProcess, startServer } from '#tests/support/server-process.ts';
import { freePorts, STUDIO_A } from '#tests/support/test-server.ts';
import { type LoadRequest, load, median } from './load.ts';

/** Measures the embedded database over HTTP: reads per second, the longest wait of /healthz meanwhile, and the time of a restart. */
const CONNECTIONS = 16;
const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 6);
const ROUNDS = 3;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

const AVAILABILITY = `/rest/v1/bookings?select=studio_id,start_time,end_time,status&studio_id=eq.${STUDIO_A}&status=neq.cancelled&start_time=gte.2026-12-08T00:00:00Z&start_time=lt.2026-12-11T00:00:00Z&end_time=gt.2026-12-09T00:00:00Z`;
const POINT = `/rest/v1/studios?select=id,name&id=eq.${STUDIO_A}`;

/** Requests /healthz every 10 ms until stopped; then returns the longest wait in milliseconds. */
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

async function measure(server: ServerProcess, name: string, path: string): Promise<void> {
  const { apiUrl, anonKey } = server.runtime;
  const make = (): LoadRequest => ({ method: 'GET', path, headers: { apikey: anonKey } });
  await load(apiUrl, { connections: CONNECTIONS, seconds: 2, make });
  const rates: number[] = [];
  const medians: number[] = [];
  const stop = watchHealth(apiUrl);
  for (let round = 0; round < ROUNDS; round += 1) {
    const result = await load(apiUrl, { connections: CONNECTIONS, seconds: SECONDS, make });
    if (result.failed > 0) throw new Error(`${name}: ${result.failed} requests failed`);
    rates.push(result.perSecond);
    medians.push(result.medianMs);
  }
  const waited = await stop();
  say(
    `${name}: ${Math.round(median(rates))}/s, median ${median(medians).toFixed(2)} ms; /healthz waited at most ${Math.round(waited)} ms`,
  );
}

async function main(): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'bench-embedded-'));
  const ports = await freePorts();
  const env = {
    PORT: String(ports + 8),
    DATA_DIR: dataDir,
    SANDBOX_PORT: String(ports),
    RATE_LIMIT_FACTOR: '1000000',
    REST_GUEST_PER_MINUTE: '100000000',
    LOG_LEVEL: 'silent',
  };
  let server = await startServer(env);
  const starts: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    await server.kill('SIGTERM');
    const began = performance.now();
    server = await startServer(env);
    starts.push(performance.now() - began);
  }
  say(`second start: ${Math.round(median(starts))} ms`);
  await measure(server, 'availability', AVAILABILITY);
  await measure(server, 'point read', POINT);
  await server.kill('SIGTERM');
  await rm(dataDir, { recursive: true, force: true });
}

await main();
