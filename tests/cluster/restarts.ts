import type { Bookings } from './bookings.ts';
import { median, pause, say } from './figures.ts';
import { startReads } from './reads.ts';
import type { Servers } from './servers.ts';

/** A client that tries again notices a restart when it waits longer than this for an answer. */
const NOTICED_MS = 10_000;

/** Restarts all servers one after the other, as for an upgrade, every so often. Returns what a client that tries again notices. */
export async function runRestarts(
  servers: Servers,
  bookings: Bookings,
  { minutes, everySeconds, readsPerSecond }: { minutes: number; everySeconds: number; readsPerSecond: number },
): Promise<readonly string[]> {
  const reads = startReads(servers, readsPerSecond);
  const slowest: number[] = [];
  bookings.slowestMs();
  const begun = bookings.held.length;
  const end = performance.now() + minutes * 60_000;
  let rounds = 0;
  for (; performance.now() < end; rounds += 1) {
    const next = performance.now() + everySeconds * 1_000;
    for (const index of servers.urls.keys()) await servers.restart(index, 'SIGTERM');
    await pause(next - performance.now());
    slowest.push(Math.max(bookings.slowestMs(), reads.slowestMs()));
  }
  await reads.stop();
  const worst = Math.max(0, ...slowest);
  say(
    `${rounds} rolling restarts in ${minutes} min: ${bookings.held.length - begun} bookings and ${reads.done} reads, the longest wait of a client ${(worst / 1_000).toFixed(1)} s (median of the rounds ${(median(slowest) / 1_000).toFixed(1)} s)`,
  );
  const noticed = slowest.filter((ms) => ms > NOTICED_MS).map((ms) => `a client waited ${(ms / 1_000).toFixed(1)} s`);
  return [...reads.failed, ...noticed];
}
