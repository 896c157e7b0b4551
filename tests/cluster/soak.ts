import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startOwnPostgres } from '#tests/support/postgres.ts';
import { freePorts } from '#tests/support/test-server.ts';
import { audit } from './audit.ts';
import { startBookings } from './bookings.ts';
import { startReads } from './reads.ts';
import { type Servers, startServers } from './servers.ts';
import { openSession } from './session.ts';

/**
 * `npm run test:soak`: three servers on one PostgreSQL, bookings and reads without a pause. `--ends kill` kills one of two servers every so
 * often, with faults of the providers in between; `--ends restart` restarts them in order, as for an upgrade. The third one stays, so that
 * its memory tells of leaks. Ends with 1 when something is lost, doubled or refused for good, or when memory grows.
 */
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    ends: { type: 'string', default: 'kill' },
    every: { type: 'string', default: '30' },
    rate: { type: 'string', default: '50' },
  },
});
/** Of the requests one in ten is a booking, which takes a hold, a payment, a webhook, a receipt and a mail. */
const BOOKINGS_PART = 0.1;
const GROWTH_MAX = 1.25;
const FAULTS = [
  { provider: 'stripe', kind: 'status', status: 503, count: 10 },
  { provider: 'stripe', kind: 'hang', count: 2 },
  { provider: 'stripe', kind: 'fail_after', count: 5 },
  { provider: 'igloohome', kind: 'status', status: 500, count: 10 },
];
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));
const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? NaN;

/** Ends the first two servers in turn until the time is over. Returns the memory of the third, once a round. */
async function disturb(servers: Servers, useSession: () => Promise<void>): Promise<readonly number[]> {
  const memory: number[] = [];
  const end = performance.now() + Number(values.minutes) * 60_000;
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
    await pause(Number(values.every) * 1_000 * (kills ? 0.5 + Math.random() : 1));
    await servers.restart(round % 2, kills ? 'SIGKILL' : 'SIGTERM');
    await useSession();
    memory.push(servers.memory().at(-1) ?? NaN);
  }
  return memory;
}

async function soak(folder: string): Promise<boolean> {
  await using started = new AsyncDisposableStack();
  const postgres = startOwnPostgres(await freePorts());
  started.defer(() => postgres.remove());
  const env = { DATABASE_URL: postgres.url, PAYMENT_ANSWER_SECONDS: '3' };
  const servers = await startServers({ count: 3, first: await freePorts(), folder, env, superuserUrl: postgres.url });
  started.defer(() => servers.close());
  const useSession = await openSession(servers);
  const rate = Number(values.rate);
  const bookings = startBookings(servers, rate * BOOKINGS_PART);
  const reads = startReads(servers, rate * (1 - BOOKINGS_PART));
  const memory = await disturb(servers, useSession);
  await Promise.all([bookings.stop(), reads.stop()]);
  say(
    `${memory.length} ${values.ends}s in ${values.minutes} min; ${bookings.paid.size} bookings paid, ${reads.done} reads`,
  );
  const faults = [...(await audit(postgres.url, bookings, servers)), ...bookings.failed, ...reads.failed];
  for (const fault of faults.slice(0, 20)) say(`FAULT ${fault}`);
  const quarter = Math.ceil(memory.length / 4);
  const [early, late] = [median(memory.slice(quarter, 2 * quarter)), median(memory.slice(-quarter))];
  say(
    `${faults.length} faults; memory of the server that stayed ${early.toFixed(0)} MB early, ${late.toFixed(0)} MB late`,
  );
  return faults.length === 0 && !(late > early * GROWTH_MAX);
}

const folder = await mkdtemp(join(tmpdir(), 'soak-'));
const good = await soak(folder);
await rm(folder, { recursive: true, force: true });
process.exit(good ? 0 : 1);
