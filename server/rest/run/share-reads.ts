import type { ReplyRow } from '../sql/statements.ts';

/**
 * Runs a read, or waits for an equal one that has not begun. `key`: everything that decides what it returns. `run` calls `started` before
 * the database can take the snapshot that it reads.
 */
export type ShareReads = (key: string, run: (started?: () => void) => Promise<ReplyRow>) => Promise<ReplyRow>;

/** Of equal reads one execution runs and one waits for its end. */
type Executions = { running: Promise<unknown> | null; waiting: Promise<ReplyRow> | null };

/**
 * Equal reads of the same moment share executions: after a change every open page reads the same again. A read that arrives when an
 * execution has begun waits for the next one, so nobody gets rows that are older than their request.
 */
export function createShareReads(): ShareReads {
  const all = new Map<string, Executions>();
  return (key, run) => {
    const executions = all.get(key) ?? { running: null, waiting: null };
    all.set(key, executions);
    // A failure is the first caller's own: it may have been refused or stopped for what else it sent.
    if (executions.waiting) return executions.waiting.catch(() => run());
    const execute = async (): Promise<ReplyRow> => {
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
        if (executions.waiting === null) all.delete(key);
      }
    };
    const reading = execute();
    executions.waiting = reading;
    return reading;
  };
}
