import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { freePorts } from '#tests/support/test-server.ts';
import { audit } from './audit.ts';
import { type Bookings, startBookings } from './bookings.ts';
import { type DatabaseCluster, startDatabaseCluster } from './database-cluster.ts';
import { startServers } from './servers.ts';
import { openSession } from './session.ts';

/**
 * `npm run test:cluster`: kills the primary and hands it over, again and again, while customers book and pay. Ends with 1 when an
 * acknowledged booking, payment or mail is lost or doubled, or when a round takes longer than 30 seconds.
 */
const GOAL_SECONDS = 30;
const WHOLE_SECONDS = 180;
const BETWEEN_MS = 3_000;
const SETTLED_MS = 35_000;

const { values } = parseArgs({
  options: {
    failovers: { type: 'string', default: '2' },
    switchovers: { type: 'string', default: '2' },
    rate: { type: 'string', default: '100' },
  },
});
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? NaN;

/** Waits until holds succeed that began after `since`, and returns how long nobody could book. */
async function outage(bookings: Bookings, since: number): Promise<number> {
  const end = performance.now() + 120_000;
  for (;;) {
    const after = bookings.successes.filter((at) => at > since);
    // It is back when holds succeed again for as long as the database may take to notice that it is gone.
    const last = after.at(-1);
    if (last !== undefined && performance.now() - since > SETTLED_MS && last > performance.now() - 1_000)
      return longestPause([since, ...after]);
    if (performance.now() > end) return Infinity;
    await new Promise((done) => setTimeout(done, 200));
  }
}

const longestPause = (times: readonly number[]): number =>
  Math.max(...times.slice(1).map((at, n) => at - (times[n] ?? at))) / 1000;

async function rounds(
  kind: string,
  count: number,
  cluster: DatabaseCluster,
  bookings: Bookings,
  check: () => Promise<void>,
) {
  const pauses: number[] = [];
  for (let round = 1; round <= count; round += 1) {
    await cluster.untilWhole(WHOLE_SECONDS);
    await new Promise((done) => setTimeout(done, BETWEEN_MS));
    const since = performance.now();
    const again = kind === 'failover' ? await cluster.killPrimary() : await cluster.switchOver().then(() => null);
    const seconds = await outage(bookings, since);
    await again?.();
    await check();
    pauses.push(seconds);
    say(`${kind} ${round}: no booking for ${seconds.toFixed(1)} s`);
  }
  if (count > 0)
    say(
      `${kind}s: ${count}, median ${median(pauses).toFixed(1)} s, longest ${Math.max(...pauses).toFixed(1)} s (goal ${GOAL_SECONDS})`,
    );
  return pauses;
}

/** Runs the drill and returns whether every goal was met. */
async function drill(folder: string): Promise<boolean> {
  await using started = new AsyncDisposableStack();
  const cluster = await startDatabaseCluster(await freePorts(), folder);
  started.defer(() => cluster.close());
  say('three PostgreSQL under Patroni, HAProxy and PgBouncer run');
  const superuserUrl = cluster.directUrl.replace('//studio:', '//postgres:');
  const env = {
    DATABASE_URL: cluster.pooledUrl,
    DATABASE_DIRECT_URL: cluster.directUrl,
    DATABASE_POOL_MODE: 'transaction',
  };
  const servers = await startServers({ count: 2, first: await freePorts(), folder, env, superuserUrl });
  started.defer(() => servers.close());
  say('two servers run');
  const useSession = await openSession(servers);
  const began = performance.now();
  const bookings = startBookings(servers, Number(values.rate));
  const pauses = [
    ...(await rounds('failover', Number(values.failovers), cluster, bookings, useSession)),
    ...(await rounds('switchover', Number(values.switchovers), cluster, bookings, useSession)),
  ];
  await bookings.stop();
  const seconds = (performance.now() - began) / 1000;
  const perSecond = (bookings.held.size / seconds).toFixed(1);
  say(
    `${bookings.held.size} holds and ${bookings.paid.size} payments acknowledged in ${seconds.toFixed(0)} s (${perSecond}/s)`,
  );
  const faults = [...(await audit(superuserUrl, bookings, servers)), ...bookings.failed];
  for (const fault of faults.slice(0, 20)) say(`FAULT ${fault}`);
  say(`${faults.length} faults; ${servers.mailbox.confirmations.size} bookings confirmed by mail`);
  return faults.length === 0 && pauses.every((pause) => pause <= GOAL_SECONDS);
}

const folder = await mkdtemp(join(tmpdir(), 'cluster-'));
const good = await drill(folder);
if (good) await rm(folder, { recursive: true, force: true });
else say(`logs: ${folder}`);
process.exit(good ? 0 : 1);
