import type { Log } from '#server/http/caller.ts';
import { allTasks, type TaskLeases } from './task-leases.ts';

/** A periodic task. */
export type Task = {
  readonly name: string;
  /** Pause between the end of one round and the start of the next, in milliseconds. */
  readonly everyMs: number;
  /** Runs one round; `stop()` becomes true when the server shuts down. */
  readonly run: (stop: () => boolean) => Promise<unknown>;
  /** In `run()`, tasks of a later stage run after those of an earlier one; the loops ignore stages. Default 0. */
  readonly stage?: number;
  /**
   * Whether the task runs in every process that shares the database, because it maintains state in memory. Other tasks run in one process
   * at a time.
   */
  readonly everywhere?: boolean;
};

export type Scheduler = {
  /**
   * Runs one round of every task, or of the named tasks, stage by stage. The tasks of a stage run in parallel. Failures are logged, never
   * thrown.
   */
  run(names?: readonly string[]): Promise<void>;
  /** Runs each task in its own loop until `stop`, while this process holds the task's lease. */
  start(): void;
  /** Ends the loops. Resolves when all running rounds have ended, or after `graceMs`, and other processes may run the tasks. */
  stop(graceMs?: number): Promise<void>;
};

const GRACE_MS = 10_000;

/** Runs tasks independently: a slow or failing task does not delay others, and no task overlaps with itself. */
export function createScheduler(tasks: readonly Task[], log: Log, leases: TaskLeases = allTasks): Scheduler {
  let stopping = false;
  let stopped = Promise.withResolvers<void>();
  let loops: Promise<void>[] = [];
  const sleeping = new Set<() => void>();
  /** The latest round of each task; the next one starts after it. */
  const last = new Map<Task, Promise<void>>();

  function round(task: Task): Promise<void> {
    const before = last.get(task) ?? Promise.resolve();
    const next = before.then(() => runSafely(task, () => stopping, log));
    last.set(task, next);
    return next;
  }

  function sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        sleeping.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, ms);
      sleeping.add(wake);
    });
  }

  async function loop(task: Task): Promise<void> {
    while (!stopping) {
      if (task.everywhere !== true && !leases.holds(task.name))
        await Promise.race([leases.taken(task.name), stopped.promise]);
      if (stopping) return;
      await round(task);
      if (!stopping) await sleep(task.everyMs);
    }
  }

  return {
    async run(names) {
      const chosen = tasks.filter(({ name }) => names?.includes(name) ?? true);
      const stages = [...new Set(chosen.map((task) => task.stage ?? 0))].toSorted((a, b) => a - b);
      for (const stage of stages)
        await Promise.all(chosen.filter((task) => (task.stage ?? 0) === stage).map((task) => round(task)));
    },
    start() {
      stopping = false;
      stopped = Promise.withResolvers<void>();
      leases.start(tasks.filter(({ everywhere }) => everywhere !== true).map(({ name }) => name));
      loops = tasks.map(loop);
    },
    async stop(graceMs = GRACE_MS) {
      stopping = true;
      stopped.resolve();
      for (const wake of sleeping) wake();
      const late = setTimeout(() => {
        log.warn(
          { tasks: tasks.length },
          'some tasks were still running at shutdown; the leases of their jobs will expire',
        );
        giveUp();
      }, graceMs);
      let giveUp: () => void = () => undefined;
      await Promise.race([
        Promise.all([...loops, ...last.values()]),
        new Promise<void>((resolve) => {
          giveUp = resolve;
        }),
      ]);
      clearTimeout(late);
      await leases.release();
    },
  };
}

async function runSafely(task: Task, stop: () => boolean, log: Log): Promise<void> {
  try {
    await task.run(stop);
  } catch (error) {
    log.error({ err: error, task: task.name }, 'a task failed and runs again in its next round');
  }
}
