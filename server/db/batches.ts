import { DatabaseError, type Result } from './database.ts';
import type { PipelineRun, Statement } from './pipeline.ts';
import type { Slots } from './slots.ts';
import { createStatementTimes } from './statement-times.ts';

type Turn = Parameters<Slots['run']>[0];

/** Runs callers' statements, in one transaction per caller. */
export type Batches = {
  /**
   * Returns the result of the last statement, which is the caller's own; the statements before it set the role and claims. `started` is
   * called before they are sent.
   */
  run(turn: Turn, statements: readonly Statement[], started?: () => void): Promise<Result>;
};

/** One caller's transaction that waits for a slot. */
type Waiting = PromiseWithResolvers<Result> & {
  readonly statements: readonly Statement[];
  readonly started: (() => void) | undefined;
  /** Whether it was sent, in its own turn or with another transaction. */
  sent: boolean;
};

/** How transactions are batched. */
export type BatchSettings = {
  /** The maximum number of transactions in a batch: the last one waits for all others. */
  readonly most: number;
  /** A transaction that has its slot waits for this before it is sent, so that others can join it. Null: it does not wait. */
  readonly wait: (() => Promise<void>) | null;
};

/**
 * Sends waiting transactions together: the transaction that gets a slot takes along those of its class that have waited longest, in one
 * write on its connection. Each of these keeps its place in the queue of `slots`, which refuses it if it waits too long; if its turn comes
 * after it was sent, there is nothing left to do. Only statements that have been brief so far share a connection. `send` runs pipelines one
 * after the other, each as its own transaction.
 */
export function createBatches(
  slots: Slots,
  { most, wait }: BatchSettings,
  send: (runs: readonly PipelineRun[]) => Promise<void>,
): Batches {
  const waiting = new Map<string, Set<Waiting>>();
  const times = createStatementTimes();
  const sendAll = async (batch: readonly Waiting[]): Promise<void> => {
    let began = performance.now();
    for (const one of batch) {
      one.sent = true;
      one.started?.();
    }
    const runs = batch.map(({ statements, resolve, reject }, at): PipelineRun => {
      const text = statements.at(-1)?.text ?? '';
      return {
        statements,
        done(outcome) {
          const now = performance.now();
          times.add(text, now - began, at === 0);
          began = now;
          if (outcome instanceof DatabaseError) reject(outcome);
          else resolve(outcome.at(-1) ?? { rows: [], count: 0 });
        },
      };
    });
    // Every transaction has its own outcome; this error means that none was sent, or that the connection was lost.
    await send(runs).catch((error: unknown) => {
      // One of the statements may have taken so long that the engine was terminated, so for a while none of them counts as brief.
      for (const { statements } of batch) times.add(statements.at(-1)?.text ?? '', performance.now() - began, true);
      batch.forEach(({ reject }) => reject(error));
    });
  };
  return {
    run(turn, statements, started) {
      const own: Waiting = { ...Promise.withResolvers<Result>(), statements, started, sent: false };
      const others = waiting.get(turn.workClass) ?? new Set();
      waiting.set(turn.workClass, others);
      const brief = times.isBrief(statements.at(-1)?.text ?? '');
      if (brief) others.add(own);
      slots
        .run(turn, async (takesAlong) => {
          if (brief && wait && !own.sent) await wait();
          if (own.sent) return takesAlong(0);
          others.delete(own);
          const batch = brief ? [own, ...takeOldest(others, most - 1)] : [own];
          takesAlong(batch.length);
          await sendAll(batch);
        })
        .catch((error: unknown) => {
          others.delete(own);
          if (!own.sent) own.reject(error);
        });
      return own.promise;
    },
  };
}

/** Resolves when the event loop has read everything that has arrived so far, so that requests that arrive together share a write. */
export function createEndOfTurn(): () => Promise<void> {
  let turn: Promise<void> | null = null;
  return () => {
    turn ??= new Promise((resolve) =>
      setImmediate(() => {
        turn = null;
        resolve();
      }),
    );
    return turn;
  };
}

function takeOldest(all: Set<Waiting>, most: number): Waiting[] {
  const taken: Waiting[] = [];
  for (const one of all) {
    if (taken.length === most) break;
    taken.push(one);
    all.delete(one);
  }
  return taken;
}
