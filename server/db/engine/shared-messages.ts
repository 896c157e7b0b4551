import type { Result } from '../database.ts';
import type { Turn } from '../expected-time.ts';
import type { Outcome, Statement } from '../pipeline.ts';
import { createBatches } from '../batches.ts';
import type { Slots } from '../slots.ts';
import type { EngineHost } from './host.ts';

/**
 * Runs a caller's read when its turn has come, in a message that it may share with others of its class. Returns null when the engine ended
 * during a message of several: then it has to run alone, because nobody knows whose statement it was.
 */
export type SharedMessages = (
  turn: Turn,
  statements: readonly Statement[],
  started?: () => void,
) => Promise<Result | null>;

/** The engine ended during a message of several reads. */
class Interrupted extends Error {
  constructor(cause: unknown) {
    super('a message of several reads was interrupted', { cause });
  }
}

/** The most reads in one message. They are one statement to those who wait for them, and on a slow machine each takes several milliseconds. */
const MESSAGE_MAX = 4;

/**
 * Sends reads that wait for the engine together: each message costs both threads a change of process, and the engine waits for the next.
 * `send` runs pipelines as transactions of their own.
 */
export function createSharedMessages(
  slots: Slots,
  host: Pick<EngineHost, 'isUp' | 'ready'>,
  send: (pipelines: readonly (readonly Statement[])[]) => Promise<readonly Outcome[]>,
): SharedMessages {
  const batches = createBatches(slots, { most: MESSAGE_MAX, wait: null }, async (runs) => {
    if (!host.isUp()) await host.ready();
    const sent = send(runs.map(({ statements }) => statements));
    const outcomes = await (runs.length === 1
      ? sent
      : sent.catch((cause: unknown) => Promise.reject(new Interrupted(cause))));
    runs.forEach(({ done }, at) => done(outcomes[at] ?? []));
  });
  return async (turn, statements, started) => {
    try {
      return await batches.run(turn, statements, started);
    } catch (error) {
      if (error instanceof Interrupted) return null;
      throw error;
    }
  };
}
