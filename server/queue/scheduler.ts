import type { Log } from '#server/http/caller.ts';

/** Something that happens by itself again and again. */
export type Task = {
  readonly name: string;
  /** Pause between the end of one round and the start of the next, in milliseconds. */
  readonly everyMs: number;
  /** One round; `stop()` becomes true when the server is to end. */
  readonly run: (stop: () => boolean) => Promise<unknown>;
  /** Tasks of a later stage run after those of an earlier one in `run()`; loops know no stages. Default 0. */
  readonly stage?: number;
};

export type Scheduler = {
  /** One round of every task, now: a stage at a time, the tasks of a stage together. Failures are logged, never thrown. */
  run(): Promise<void>;
  /** Runs each task in a loop of its own until `stop`. */
  start(): void;
  /** Ends the loops: resolves when the rounds under way have ended, at the latest after `graceMs`. */
  stop(graceMs?: number): Promise<void>;
};

const GRACE_MS = 10_000;

/** Runs tasks apart from each other: a slow or failing one delays no other, and no task overlaps with itself. */
export function createScheduler(tasks: readonly Task[], log: Log): Scheduler {
  let stopping = false;
  let loops: Promise<void>[] = [];
  const sleeping = new Set<() => void>();
  /** The last round of each task: the next one begins after it. */
  const last = new Map<Task, Promise<void>>();

  function round(task: Task): Promise<void> {
    const before = last.get(task) ?? Promise.resolve();
    const next = before.then(() => guarded(task, () => stopping, log));
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
      await round(task);
      if (!stopping) await sleep(task.everyMs);
    }
  }

  return {
    async run() {
      const stages = [...new Set(tasks.map((task) => task.stage ?? 0))].toSorted((a, b) => a - b);
      for (const stage of stages)
        await Promise.all(tasks.filter((task) => (task.stage ?? 0) === stage).map((task) => round(task)));
    },
    start() {
      stopping = false;
      loops = tasks.map(loop);
    },
    async stop(graceMs = GRACE_MS) {
      stopping = true;
      for (const wake of sleeping) wake();
      const late = setTimeout(() => {
        log.warn(
          { tasks: tasks.length },
          'some work was still under way at the stop; its leases run out by themselves',
        );
        given();
      }, graceMs);
      let given: () => void = () => undefined;
      await Promise.race([
        Promise.all([...loops, ...last.values()]),
        new Promise<void>((resolve) => {
          given = resolve;
        }),
      ]);
      clearTimeout(late);
    },
  };
}

async function guarded(task: Task, stop: () => boolean, log: Log): Promise<void> {
  try {
    await task.run(stop);
  } catch (error) {
    log.error({ err: error, task: task.name }, 'a task failed and runs again in its next round');
  }
}
