import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startOwnPostgres } from '#tests/support/postgres.ts';
import { freePorts } from '#tests/support/test-server.ts';
import { audit } from './audit.ts';
import { type Bookings, roomsFor, startBookings } from './bookings.ts';
import { median, pause, say } from './figures.ts';
import { type Reads, startReads } from './reads.ts';
import { type Servers, startServers } from './servers.ts';
import { openSession } from './session.ts';

/**
 * `npm run test:soak`: three servers on one PostgreSQL, with bookings, cancellations and reads without a pause. `--ends kill` repeatedly
 * kills one of two servers, with faults of the providers in between. `--ends restart` restarts them gracefully, as for an upgrade. The
 * third server keeps running, so that its memory reveals leaks. Exits with 1 if something is lost, doubled or permanently refused, or if
 * memory grows. Prints the rate that the machine reached.
 */
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    ends: { type: 'string', default: 'kill' },
    every: { type: 'string', default: '30' },
    rate: { type: 'string', default: '50' },
  },
});
const [minutes, everySeconds, rate] = [Number(values.minutes), Number(values.every), Number(values.rate)];
/** One in ten requests is a booking, which takes a hold, a payment, a webhook, a receipt and a mail. */
const BOOKINGS_PART = 0.1;
/** One in five bookings is cancelled, so that its money is refunded. */
const CANCEL_EVERY = 5;
const GROWTH_MAX = 1.25;
const MEMORY_MINUTES = 20;
const FAULTS = [
  { provider: 'stripe', kind: 'status', status: 503, count: 10 },
  { provider: 'stripe', kind: 'hang', count: 2 },
  { provider: 'stripe', kind: 'fail_after', count: 5 },
  { provider: 'igloohome', kind: 'status', status: 500, count: 10 },
];

type Load = { readonly servers: Servers; readonly bookings: Bookings; readonly reads: Reads };

/** Repeatedly ends one of the first two servers until the time is over. Returns the memory of the third server after each round. */
async function disturb(
  { servers, bookings, reads }: Load,
  useSession: () => Promise<void>,
): Promise<readonly number[]> {
  const memory: number[] = [];
  const began = performance.now();
  const end = began + minutes * 60_000;
  for (let round = 0; performance.now() < end; round += 1) {
    const kills = values.ends === 'kill';
    if (kills) {
      const fault = FAULTS[round % FAULTS.length];
      await fetch(`${servers.sandboxUrl}/api/faults`, {
        method: 'POST',
        body: JSON.stringify(fault),
        headers: { 'content-type': 'application/json' },
      });
    }
    await pause(everySeconds * 1_000 * (kills ? 0.5 + Math.random() : 1));
    const victim = kills ? Math.floor(Math.random() * 2) : round % 2;
    await servers.restart(victim, kills ? 'SIGKILL' : 'SIGTERM');
    await useSession();
    memory.push(servers.memory().at(-1) ?? NaN);
    const at = ((performance.now() - began) / 60_000).toFixed(1);
    const slowest = Math.max(bookings.slowest().seconds, reads.slowest().seconds);
    say(
      `${at} min: ${values.ends} of server ${victim + 1}; ${bookings.paid.size} bookings, ${bookings.cancelled.size} cancelled, ${reads.done} reads, ${bookings.failed.length + reads.failed.length} failed, the longest wait ${slowest.toFixed(1)} s, ${memory.at(-1)?.toFixed(0)} MB`,
    );
  }
  return memory;
}

async function soak(folder: string): Promise<boolean> {
  await using started = new AsyncDisposableStack();
  const postgres = startOwnPostgres(await freePorts());
  started.defer(() => postgres.remove());
  const env = { DATABASE_URL: postgres.url, PAYMENT_ANSWER_SECONDS: '3' };
  const rooms = roomsFor(rate * BOOKINGS_PART * minutes * 60);
  const servers = await startServers({
    count: 3,
    first: await freePorts(),
    folder,
    env,
    superuserUrl: postgres.url,
    rooms,
  });
  started.defer(() => servers.close());
  const useSession = await openSession(servers);
  const began = performance.now();
  const bookings = startBookings(servers, { perSecond: rate * BOOKINGS_PART, cancelEvery: CANCEL_EVERY });
  const reads = startReads(servers, rate * (1 - BOOKINGS_PART));
  const memory = await disturb({ servers, bookings, reads }, useSession);
  const seconds = (performance.now() - began) / 1_000;
  await Promise.all([bookings.stop(), reads.stop()]);
  const reached = (bookings.held.length + reads.done) / seconds;
  say(
    `${memory.length} ${values.ends}s in ${values.minutes} min; ${bookings.paid.size} bookings paid, ${bookings.cancelled.size} of them cancelled, ${reads.done} reads: ${reached.toFixed(1)} a second of ${rate}`,
  );
  const faults = [
    ...(await audit(postgres.url, bookings, servers)),
    ...bookings.failed,
    ...reads.failed,
    ...checkGrowth(memory),
  ];
  for (const fault of faults.slice(0, 100)) say(`FAULT ${fault}`);
  say(`${faults.length} faults`);
  return faults.length === 0;
}

/**
 * Compares the second quarter with the last, because the server is still warming up in the first. In a short run it warms up all the time,
 * so short runs are not judged.
 */
function checkGrowth(memory: readonly number[]): readonly string[] {
  const quarter = Math.ceil(memory.length / 4);
  const [early, late] = [median(memory.slice(quarter, 2 * quarter)), median(memory.slice(-quarter))];
  say(`memory of the server that stayed: ${early.toFixed(0)} MB early, ${late.toFixed(0)} MB late`);
  return minutes >= MEMORY_MINUTES && late > early * GROWTH_MAX
    ? [`memory grew from ${early.toFixed(0)} to ${late.toFixed(0)} MB`]
    : [];
}

const folder = await mkdtemp(join(tmpdir(), 'soak-'));
const good = await soak(folder);
await rm(folder, { recursive: true, force: true });
process.exit(good ? 0 : 1);
