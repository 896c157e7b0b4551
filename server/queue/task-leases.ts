import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Log } from '#server/http/caller.ts';
import type { Queryable } from '#server/db/database.ts';

/** Decides which tasks run in this process when several processes share the database. */
export type TaskLeases = {
  /** Begins to take the leases of these tasks and to renew them. */
  start(names: readonly string[]): void;
  /** Whether this process may run the task now. */
  holds(name: string): boolean;
  /** Resolves when this process may run the task. */
  taken(name: string): Promise<void>;
  /** Ends the renewals and gives the leases back, so that another process can take over immediately. */
  release(): Promise<void>;
};

/** Duration of a lease. After this time without a renewal, another process takes over. */
const LEASE_SECONDS = 6;
const RENEW_MS = 1_500;

/** Leases for a database that no other process has open. Every task runs in this process. */
export const allTasks: TaskLeases = {
  start: () => undefined,
  holds: () => true,
  taken: () => Promise.resolve(),
  release: () => Promise.resolve(),
};

/** Creates leases that are stored in `private.task_lease`. */
export function createTaskLeases({ db, log }: { db: Queryable; log: Log }): TaskLeases {
  // The host and the process id are for people who read the table.
  const holder = `${hostname()}:${process.pid}:${randomUUID()}`;
  /** The time until which each lease is certainly held, in milliseconds of `performance.now()`. */
  const until = new Map<string, number>();
  const waiting = new Set<() => void>();
  let names: readonly string[] = [];
  let released = false;
  let timer: NodeJS.Timeout | undefined;
  let renewal: Promise<void> = Promise.resolve();

  async function renew(): Promise<void> {
    // The lease is counted from before the statement, because the database counts from a later moment.
    const end = performance.now() + LEASE_SECONDS * 1_000;
    try {
      const { rows } = await db.query<{ name: string }>(
        'select take_task_leases as name from private.take_task_leases($1::text, $2::text[], $3::numeric)',
        [holder, names, LEASE_SECONDS],
      );
      until.clear();
      for (const { name } of rows) until.set(name, end);
    } catch (error) {
      log.warn({ err: error }, 'task leases could not be renewed; the next round tries again');
    }
    for (const check of waiting) check();
  }

  function repeat(): void {
    renewal = renew().finally(() => {
      if (!released) timer = setTimeout(repeat, RENEW_MS);
    });
  }

  const holds = (name: string): boolean => (until.get(name) ?? 0) > performance.now();

  return {
    start(tasks) {
      names = tasks;
      released = false;
      repeat();
    },
    holds,
    taken: (name) =>
      new Promise((resolve) => {
        const check = (): void => {
          if (!holds(name)) return;
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        check();
      }),
    async release() {
      released = true;
      clearTimeout(timer);
      waiting.clear();
      await renewal;
      until.clear();
      await db
        .query('delete from private.task_lease where holder = $1::text', [holder])
        .catch((error: unknown) => log.warn({ err: error }, 'task leases could not be released; they expire'));
    },
  };
}
