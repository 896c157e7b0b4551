import cluster, { type Worker } from 'node:cluster';
import { answerMetrics } from '#server/http/metrics/cluster-metrics.ts';

/** The pause before a process that ended is restarted; it doubles after each process that ends soon after its start. */
const PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;
/** A process that ran this long has started well. */
const RAN_WELL_MS = 60_000;
/** Shorter than the time after which `npm start` kills processes that have not stopped. */
const STOP_MS = 14_000;
/** Exit codes of faults that a restart does not mend, after sysexits.h. */
const FINAL_CODES = [75, 78];

/**
 * Runs `count` processes of this program on one port, and restarts those that end. The first one migrates and seeds the database before the
 * others start. Returns a function that stops them all. `exit` is called when all have stopped, or when the first one could not start.
 */
export function runProcesses(
  count: number,
  { warn, exit }: { warn: (line: string) => void; exit: (code: number) => void },
): { stop: () => void } {
  let stopping = false;
  let ready = false;
  let pauseMs = PAUSE_MS;
  let failure = 0;
  answerMetrics();

  function start(): Worker {
    const began = Date.now();
    const worker = cluster.fork();
    worker.once('listening', () => {
      if (ready) return;
      ready = true;
      for (let number = 1; number < count; number += 1) start();
    });
    worker.once('exit', (code: number | null, signal: string | null) => {
      // The signal itself ends a process that is still starting; such a process has nothing to release.
      if (stopping) return endWhenAllHave(code ?? (signal === 'SIGTERM' ? 0 : 1));
      if (!ready || FINAL_CODES.includes(code ?? 0)) {
        failure = code ?? 1;
        return stop();
      }
      pauseMs = Date.now() - began > RAN_WELL_MS ? PAUSE_MS : Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
      warn(`a server process stopped (${signal ?? `exit code ${code}`}); it starts again in ${pauseMs / 1000} s`);
      setTimeout(() => stopping || start(), pauseMs);
    });
    return worker;
  }

  const running = (): Worker[] => Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);

  function endWhenAllHave(code: number): void {
    failure ||= code;
    if (running().every((worker) => worker.isDead())) exit(failure);
  }

  function stop(): void {
    if (stopping) return;
    stopping = true;
    for (const worker of running()) worker.process.kill('SIGTERM');
    setTimeout(() => {
      for (const worker of running()) worker.process.kill('SIGKILL');
    }, STOP_MS).unref();
    endWhenAllHave(failure);
  }

  start();
  return { stop };
}
