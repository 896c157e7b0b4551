import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compose } from '#server/compose.ts';
import { readConfig } from '#server/config.ts';
import { fillBookings } from '#tests/scale/many-rows.ts';
import { startServer } from '#tests/support/server-process.ts';
import { addCustomer, freePorts } from '#tests/support/test-server.ts';
import { type Answer, callSteadily, type CallerRequest, quantile } from '../callers/connection.ts';

/**
 * Measures on the embedded database how long a visitor waits for `/auth/v1/recover`, and guests for a read, while 24 signed-in customers
 * each read and write one request after another.
 */
const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 10);
const ACCOUNTS = 24;
const BOOKINGS = 20_000;
const PAUSE_MS = 20;
const GOAL_MS = 1_000;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

const busy = (anonKey: string, token: string, host: number): ((at: number) => CallerRequest) => {
  const headers = {
    apikey: anonKey,
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    'x-forwarded-for': `198.51.100.${host}`,
  };
  const requests: readonly CallerRequest[] = [
    { method: 'GET', path: '/rest/v1/bookings?select=*&order=start_time.desc&limit=20', headers },
    { method: 'GET', path: '/rest/v1/profiles?select=*', headers },
    { method: 'GET', path: '/auth/v1/user', headers },
    { method: 'PUT', path: '/auth/v1/user', headers, body: '{"data":{"theme":"dark"}}' },
  ];
  return (at) => requests[at % requests.length] ?? { method: 'GET', path: '/healthz', headers };
};

async function measure(
  url: string,
  anonKey: string,
  until: number,
): Promise<readonly (readonly [string, readonly Answer[]])[]> {
  const guest = { apikey: anonKey, 'content-type': 'application/json' };
  const recover = (at: number): CallerRequest => ({
    method: 'POST',
    path: '/auth/v1/recover',
    headers: { ...guest, 'x-forwarded-for': `203.0.${at >> 8}.${at & 255}` },
    body: JSON.stringify({ email: `visitor${at}@example.com` }),
  });
  const read = (): CallerRequest => ({
    method: 'GET',
    path: '/rest/v1/studios?select=id,name&limit=1',
    headers: { ...guest, 'x-forwarded-for': '203.0.113.9' },
  });
  const [recovered, reads] = await Promise.all(
    [recover, read].map((make) => callSteadily(url, { until, pauseMs: PAUSE_MS, make })),
  );
  return [
    ['/auth/v1/recover', recovered ?? []],
    ['a guest’s read', reads ?? []],
  ];
}

/** Returns whether the medians are within the goal. */
export async function measureBusyAccounts(): Promise<boolean> {
  const dataDir = await mkdtemp(join(tmpdir(), 'bench-busy-'));
  const ports = await freePorts();
  const env = {
    PORT: String(ports + 8),
    DATA_DIR: dataDir,
    SANDBOX_PORT: String(ports),
    RATE_LIMIT_FACTOR: '1000000',
    REST_GUEST_PER_MINUTE: '1000000',
    TRUSTED_PROXIES: '1',
    LOG_LEVEL: 'silent',
  };
  const app = await compose(readConfig(env));
  await fillBookings((text, values) => app.db.query(text, values), { bookings: BOOKINGS, studios: 3, accounts: 1_000 });
  const tokens: string[] = [];
  for (let index = 0; index < ACCOUNTS; index += 1) tokens.push((await addCustomer(app, new Date())).token);
  await app.close();
  const server = await startServer(env);

  const { apiUrl: url, anonKey } = server.runtime;
  let reached = true;
  for (const loaded of [false, true]) {
    const until = performance.now() + SECONDS * 1_000;
    const burden = loaded
      ? Promise.all(
          tokens.map((token, host) => callSteadily(url, { until, pauseMs: 0, make: busy(anonKey, token, host + 1) })),
        )
      : Promise.resolve([]);
    const measured = await measure(url, anonKey, until);
    const requests = (await burden).flat();
    say(loaded ? `with ${ACCOUNTS} busy accounts (${requests.length} requests)` : 'idle');
    for (const [name, answers] of measured) {
      const times = answers.map(({ ms }) => ms);
      const shown = [0.5, 0.99, 1].map((part) => quantile(times, part).toFixed(0)).join(' / ');
      const statuses = [...Map.groupBy(answers, ({ status }) => status)].map(
        ([status, all]) => `${status}: ${all.length}`,
      );
      reached &&= quantile(times, 0.5) < GOAL_MS;
      say(`  ${name}: p50 / p99 / longest ${shown} ms; ${statuses.join(', ')}`);
    }
  }
  await server.kill('SIGTERM');
  await rm(dataDir, { recursive: true, force: true });
  return reached;
}
