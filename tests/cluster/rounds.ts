import type { Bookings } from './bookings.ts';
import type { DatabaseCluster } from './database-cluster.ts';
import { longestPause, median, pause, say } from './figures.ts';
import { untilTrue } from './programs.ts';

/** Repeatedly loses the primary or hands over its role, and measures what customers notice. */

/** After a round everything must run again within this time, without human intervention. */
const WHOLE_SECONDS = 180;
const TAKEOVER_SECONDS = 120;
const BETWEEN_MS = 2_000;
/** Bookings must succeed for this long before a round is over. */
const CALM_MS = 5_000;
const GIVE_UP_MS = 120_000;
/** An answer that arrives within this time after the loss may have been sent before the database was lost. */
const STALE_MS = 1_000;

export type Kind = 'failover' | 'switchover';
export type Round = {
  readonly kind: Kind;
  /** How long bookings were impossible, in seconds. */
  readonly seconds: number;
  readonly faults: readonly string[];
};

export type RoundContext = {
  readonly cluster: DatabaseCluster;
  readonly bookings: Bookings;
  /** Uses a session that was opened before the first round. Throws if the session has ended. */
  readonly useSession: () => Promise<void>;
  /** Returns how many of these bookings are missing, and how many overlap with another one. */
  readonly look: (ids: readonly string[]) => Promise<{ readonly lost: number; readonly double: number }>;
};

/** Runs the rounds of a kind and prints a line for each. Stops after the first round that does not finish. */
export async function runRounds(kind: Kind, count: number, context: RoundContext): Promise<readonly Round[]> {
  const rounds: Round[] = [];
  let seen = context.bookings.held.length;
  for (let number = 1; number <= count; number += 1) {
    try {
      const { seconds, line } = await runRound(kind, number, context);
      const ids = context.bookings.held.slice(seen);
      seen += ids.length;
      const faults = await findFaults(ids, context);
      rounds.push({ kind, seconds, faults });
      const found = faults.length === 0 ? '0 lost, 0 double, sessions kept' : faults.join(', ');
      say(`${kind} ${number}: ${line}; ${ids.length} bookings acknowledged, ${found}`);
    } catch (error) {
      const fault = `${kind} ${number} did not come to an end: ${String(error)}`;
      say(fault);
      return [...rounds, { kind, seconds: Infinity, faults: [fault] }];
    }
  }
  return rounds;
}

async function runRound(kind: Kind, number: number, { cluster, bookings }: RoundContext) {
  await cluster.untilWhole(WHOLE_SECONDS);
  await pause(BETWEEN_MS);
  const before = await cluster.primary();
  const first = bookings.successes.length;
  const since = performance.now();
  const what = kind === 'switchover' ? 'switchover' : number % 2 === 1 ? 'machine' : 'process';
  const restart = what === 'switchover' ? await cluster.switchOver().then(() => null) : await cluster.killPrimary(what);
  await untilTrue('another primary', TAKEOVER_SECONDS, async () => {
    // Without a healthy standby, a killed process restarts on the same node.
    const same = what === 'process' && (bookings.successes.at(-1) ?? 0) > since + STALE_MS;
    return same || (await cluster.primary()) !== before;
  });
  const takenOver = performance.now();
  await untilBack(bookings, takenOver);
  const seconds = longestPause([since, ...bookings.successes.slice(first)]);
  const after = await cluster.primary();
  restart?.();
  const lost = what === 'switchover' ? '' : ` (${what} lost)`;
  const line = `${before} to ${after}${lost} after ${((takenOver - since) / 1_000).toFixed(1)} s, no booking for ${seconds.toFixed(1)} s`;
  return { seconds, line };
}

/** Waits until bookings have succeeded for CALM_MS. */
async function untilBack({ successes }: Bookings, takenOver: number): Promise<void> {
  for (;;) {
    const now = performance.now();
    const before = successes.findLastIndex((at) => at <= takenOver);
    const [first, last] = [successes[before + 1], successes.at(-1)];
    if (first !== undefined && last !== undefined && first < now - CALM_MS && last > now - 1_000) return;
    if (now - takenOver > GIVE_UP_MS) throw new Error(`no bookings ${GIVE_UP_MS / 1_000} s after the takeover`);
    await pause(200);
  }
}

async function findFaults(ids: readonly string[], { look, useSession }: RoundContext): Promise<readonly string[]> {
  const { lost, double } = await look(ids);
  const session = await useSession().then(
    () => [],
    (error: unknown) => [`the session has ended: ${String(error)}`],
  );
  return [...(lost > 0 ? [`${lost} lost`] : []), ...(double > 0 ? [`${double} double`] : []), ...session];
}

/** Prints the medians and the worst values of a kind. */
export function summarise(kind: Kind, rounds: readonly Round[], goalSeconds: number): void {
  const seconds = rounds.filter((round) => round.kind === kind).map((round) => round.seconds);
  if (seconds.length === 0) return;
  say(
    `${seconds.length} ${kind}s: median ${median(seconds).toFixed(1)} s, longest ${Math.max(...seconds).toFixed(1)} s without a booking (goal ${goalSeconds})`,
  );
}
