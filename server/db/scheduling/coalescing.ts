/**
 * Runs a read, or waits for an equal one that has not begun. `key`: everything that decides what the read returns. `run` must call
 * `started` before the database can take the snapshot for the read.
 */
export type Coalesce<T> = (key: string, run: (started?: () => void) => Promise<T>) => Promise<T>;

/** If several equal reads arrive, one execution runs and another waits for its end. */
type Executions<T> = { running: Promise<unknown> | null; waiting: Promise<T> | null };

/**
 * Coalesces equal reads of the same moment, because every open page repeats its reads after a change. A read that arrives after
 * an execution has begun waits for the next one, so that no caller gets rows that are older than the request.
 */
export function createCoalescing<T>(): Coalesce<T> {
  const byKey = new Map<string, Executions<T>>();
  return (key, run) => {
    const executions = byKey.get(key) ?? { running: null, waiting: null };
    byKey.set(key, executions);
    // A failure belongs to the first caller: the database may have refused or stopped its request for another part of it.
    if (executions.waiting) return executions.waiting.catch(() => run());
    const execute = async (): Promise<T> => {
      await executions.running;
      try {
        return await run(() => {
          if (executions.waiting !== reading) return;
          executions.waiting = null;
          executions.running = reading.catch(() => undefined);
        });
      } finally {
        if (executions.waiting === reading) executions.waiting = null;
        else executions.running = null;
        if (executions.waiting === null) byKey.delete(key);
      }
    };
    const reading = execute();
    executions.waiting = reading;
    return reading;
  };
}
