import type { Result } from '../database.ts';
import type { Outcome, Statement } from '../pipeline.ts';
import type { Scheduler } from '../scheduling/scheduler.ts';
import type { Ticket } from '../scheduling/ticket.ts';
import type { EngineHost } from './host.ts';

/**
 * Runs a caller's read when its turn has come, in a message that it may share with others of its class. Returns null if the engine exited
 * during a message with several reads: the read must then run alone, because it is unknown which statement caused the exit.
 */
export type SharedMessages = (
  ticket: Ticket,
  statements: readonly Statement[],
  started?: () => void,
) => Promise<Result | null>;

/** The engine exited during a message with several reads. */
class Interrupted extends Error {
  constructor(cause: unknown) {
    super('a message of several reads was interrupted', { cause });
  }
}

/**
 * The maximum number of reads in one message. Other statements wait for all of them as for a single statement, and on a slow machine each
 * read takes several milliseconds.
 */
const MESSAGE_MAX = 4;

/**
 * Sends waiting reads to the engine together: each message costs both threads a context switch, and the engine is idle until the next one
 * arrives. `send` runs each pipeline as its own transaction.
 */
export function createSharedMessages(
  scheduler: Scheduler,
  host: Pick<EngineHost, 'isUp' | 'ready'>,
  send: (pipelines: readonly (readonly Statement[])[]) => Promise<readonly Outcome[]>,
): SharedMessages {
  const runInBatch = scheduler.batching(MESSAGE_MAX, async (runs) => {
    if (!host.isUp()) await host.ready();
    const sent = send(runs.map(({ statements }) => statements));
    const outcomes = await (runs.length === 1
      ? sent
      : sent.catch((cause: unknown) => Promise.reject(new Interrupted(cause))));
    runs.forEach(({ done }, index) => done(outcomes[index] ?? []));
  });
  return async (ticket, statements, started) => {
    try {
      return await runInBatch(ticket, statements, started);
    } catch (error) {
      if (error instanceof Interrupted) return null;
      throw error;
    }
  };
}
