import type { Database } from '#server/db/database.ts';
import type { Clock, Log } from '#server/http/caller.ts';
import type { JobKinds } from './jobs.ts';
import { queueLateness } from './lateness.ts';
import type { Task } from './scheduler.ts';
import { runBatch, runRound, type Worker } from './worker.ts';

/** Options of a worker. */
export type WorkerOptions = {
  /** Maximum number of jobs that run at the same time. */
  readonly atOnce: number;
  /** Whether its jobs run after those of other workers, because they report on the results of those workers. */
  readonly later?: boolean;
  /** Returns the number of jobs that may start now, which is 0 while the outside system is down. Unlimited by default. */
  readonly capacity?: (() => number) | undefined;
};

export type Queue = {
  /** One task for each worker. */
  readonly tasks: readonly Task[];
  /** Runs one round of all workers, or of the named workers. Workers marked `later` run last. Returns the number of jobs that ran. */
  run(names?: readonly string[]): Promise<number>;
  /** See `queueLateness`. */
  lateness(): Promise<number>;
  /** Starts the due jobs of a worker in the background, so that they do not wait for its next round. Call it after the transaction. */
  wake(name: string): void;
};

/** Creates the queue: a worker for each entry of `workers`, with the kinds that name it. Throws if a kind names an unknown worker. */
export function createQueue(context: {
  db: Database;
  clock: Clock;
  log: Log;
  workers: Readonly<Record<string, WorkerOptions>>;
  kinds: JobKinds;
  postpone?: Worker['postpone'];
  checkpoint?: Worker['checkpoint'];
  scope?: Worker['scope'];
}): Queue {
  const unassigned = Object.entries(context.kinds).filter(([, { worker }]) => !Object.hasOwn(context.workers, worker));
  if (unassigned.length > 0)
    throw new Error(`no worker runs jobs of the kinds ${unassigned.map(([kind]) => kind).join()}`);
  const workers = Object.entries(context.workers).map(([name, settings]) => ({
    stage: settings.later === true ? 1 : 0,
    worker: createWorker(name, settings, context),
  }));
  return {
    tasks: workers.map(({ stage, worker }) => ({
      name: `worker ${worker.name}`,
      everyMs: 1_000,
      stage,
      run: (stop) => runRound(worker, stop),
    })),
    async run(names) {
      let ran = 0;
      for (const stage of [0, 1]) {
        const chosen = workers.filter((entry) => entry.stage === stage && (names?.includes(entry.worker.name) ?? true));
        for (const count of await Promise.all(chosen.map(({ worker }) => runRound(worker)))) ran += count;
      }
      return ran;
    },
    lateness: () => queueLateness(context.db, context.clock(), context),
    wake(name) {
      const worker = workers.find((entry) => entry.worker.name === name)?.worker;
      if (!worker) throw new Error(`no worker has the name ${name}`);
      setImmediate(() => {
        runBatch(worker).catch((error: unknown) =>
          context.log.error({ err: error, worker: name }, 'jobs could not be started; the next round starts them'),
        );
      });
    },
  };
}

function createWorker(
  name: string,
  { atOnce, capacity }: WorkerOptions,
  context: Parameters<typeof createQueue>[0],
): Worker {
  const { db, clock, log, postpone, checkpoint, scope } = context;
  const kinds = Object.fromEntries(Object.entries(context.kinds).filter(([, { worker }]) => worker === name));
  return { name, kinds, db, clock, log, atOnce, capacity, postpone, checkpoint, scope, running: new Map() };
}
