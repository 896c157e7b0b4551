import type { Bookings } from './bookings.ts';
import type { Wait } from './client.ts';
import { median, pause, say } from './figures.ts';
import { startReads } from './reads.ts';
import type { Servers } from './servers.ts';

/** A retrying client counts as having noticed a restart if it waited longer than this for an answer. */
const NOTICED_SECONDS = 10;

/**
 * Restarts all servers one after another, as for an upgrade, every `everySeconds`. Returns the faults that a retrying client noticed:
 * failed reads and long waits.
 */
export async function runRestarts(
  servers: Servers,
  bookings: Bookings,
  { minutes, everySeconds, readsPerSecond }: { minutes: number; everySeconds: number; readsPerSecond: number },
): Promise<readonly string[]> {
  const reads = startReads(servers, readsPerSecond);
  const slowest: Wait[] = [];
  bookings.slowest();
  const begun = bookings.held.length;
  const end = performance.now() + minutes * 60_000;
  let rounds = 0;
  for (; performance.now() < end; rounds += 1) {
    const next = performance.now() + everySeconds * 1_000;
    for (const index of servers.urls.keys()) await servers.restart(index, 'SIGTERM');
    await pause(Math.max(0, next - performance.now()));
    slowest.push(...[bookings.slowest(), reads.slowest()].toSorted((a, b) => b.seconds - a.seconds).slice(0, 1));
  }
  await reads.stop();
  const waits = slowest.map(({ seconds }) => seconds);
  say(
    `${rounds} rolling restarts in ${minutes} min: ${bookings.held.length - begun} bookings and ${reads.done} reads, the longest wait of a client ${Math.max(0, ...waits).toFixed(1)} s (median of the rounds ${median(waits).toFixed(1)} s)`,
  );
  const worst = slowest.toSorted((a, b) => b.seconds - a.seconds)[0];
  if (worst !== undefined && worst.met !== '') say(`that client met ${worst.met}`);
  const noticed = slowest.filter(({ seconds }) => seconds > NOTICED_SECONDS);
  return [...reads.failed, ...noticed.map(({ seconds, met }) => `a client waited ${seconds.toFixed(1)} s: ${met}`)];
}
