import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { freePorts } from '#tests/support/test-server.ts';
import { audit, lookAt } from './audit.ts';
import { type Bookings, roomsFor, startBookings } from './bookings.ts';
import { startDatabaseCluster } from './database-cluster.ts';
import { say } from './figures.ts';
import { runRestarts } from './restarts.ts';
import { runRounds, summarise } from './rounds.ts';
import { startServers } from './servers.ts';
import { openSession } from './session.ts';

/**
 * `npm run test:cluster`: repeatedly kills the primary and hands over its role while customers book and pay. `--restarts 10` then restarts
 * the servers for ten minutes. Exits with 1 if an acknowledged booking, payment or mail is lost or doubled, a session ends, a client that
 * retries is refused, or bookings are impossible for more than 30 seconds.
 */
const GOAL_SECONDS = 30;
/** Maximum average duration of a round in seconds, from which the number of rooms is calculated. */
const ROUND_SECONDS = 60;

const { values } = parseArgs({
  options: {
    failovers: { type: 'string', default: '2' },
    switchovers: { type: 'string', default: '2' },
    /** Bookings per second. A machine that is too slow for this rate makes as many as it can. */
    rate: { type: 'string', default: '100' },
    /** Duration of the rolling restarts in minutes, and the interval between them in seconds. */
    restarts: { type: 'string', default: '0' },
    every: { type: 'string', default: '20' },
  },
});
const requested = {
  failovers: Number(values.failovers),
  switchovers: Number(values.switchovers),
  rate: Number(values.rate),
  restarts: Number(values.restarts),
  every: Number(values.every),
};

/** After a signal, this resolves when everything that was started has ended. Steps of the drill fail in the meantime. */
let interrupted: Promise<void> = Promise.resolve();

/** Runs the drill and returns whether every goal was met. */
async function drill(folder: string): Promise<boolean> {
  await using started = new AsyncDisposableStack();
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      interrupted = started.disposeAsync();
    });
  const cluster = await startDatabaseCluster(await freePorts(), folder);
  started.defer(() => cluster.close());
  say('three PostgreSQL under Patroni, HAProxy and PgBouncer run');
  const superuserUrl = cluster.directUrl.replace('//studio:', '//postgres:');
  const env = {
    DATABASE_URL: cluster.pooledUrl,
    DATABASE_DIRECT_URL: cluster.directUrl,
    DATABASE_POOL_MODE: 'transaction',
  };
  const seconds = (requested.failovers + requested.switchovers + 1) * ROUND_SECONDS + requested.restarts * 60;
  const rooms = roomsFor(requested.rate * seconds);
  const servers = await startServers({ count: 2, first: await freePorts(), folder, env, superuserUrl, rooms });
  started.defer(() => servers.close());
  say(`two servers run, with ${rooms} rooms`);
  const useSession = await openSession(servers);
  const tellRate = measureRate();
  const bookings = startBookings(servers, { perSecond: requested.rate });
  const look = (ids: readonly string[]): ReturnType<typeof lookAt> => lookAt(superuserUrl, ids);
  const context = { cluster, bookings, useSession, look };
  const rounds = [
    ...(await runRounds('failover', requested.failovers, context)),
    ...(await runRounds('switchover', requested.switchovers, context)),
  ];
  const { restarts: minutes, every: everySeconds, rate: readsPerSecond } = requested;
  const noticed = minutes > 0 ? await runRestarts(servers, bookings, { minutes, everySeconds, readsPerSecond }) : [];
  await bookings.stop();
  tellRate(bookings);
  for (const kind of ['failover', 'switchover'] as const) summarise(kind, rounds, GOAL_SECONDS);
  const audited = await audit(superuserUrl, bookings, servers);
  const unsent = await cluster.broadcastFailures();
  const faults = [
    ...rounds.flatMap((round) => round.faults),
    ...noticed,
    ...audited,
    ...bookings.failed,
    ...(unsent > 0 ? [`${unsent} broadcasts or changes of tables could not be passed on`] : []),
  ];
  for (const fault of faults.slice(0, 100)) say(`FAULT ${fault}`);
  say(`${faults.length} faults; ${servers.mailbox.confirmations.size} bookings confirmed by mail`);
  return faults.length === 0 && rounds.every((round) => round.seconds <= GOAL_SECONDS);
}

/**
 * Returns a function that prints how much has been booked since now, and how busy this process was, which makes the bookings and runs the
 * sandbox.
 */
function measureRate(): (bookings: Bookings) => void {
  const [began, used] = [performance.now(), process.cpuUsage()];
  return ({ held, paid, skipped }) => {
    const seconds = (performance.now() - began) / 1_000;
    const { user, system } = process.cpuUsage(used);
    const core = ((user + system) / 1e6 / seconds) * 100;
    say(
      `${held.length} holds and ${paid.size} payments acknowledged in ${seconds.toFixed(0)} s (${(held.length / seconds).toFixed(1)} a second of ${requested.rate}; ${skipped} clients found others waiting; the drill itself took ${core.toFixed(0)} % of a core)`,
    );
  };
}

const folder = await mkdtemp(join(tmpdir(), 'cluster-'));
let good = false;
try {
  good = await drill(folder);
} finally {
  await interrupted;
}
if (good) await rm(folder, { recursive: true, force: true });
else say(`logs: ${folder}`);
process.exit(good ? 0 : 1);
