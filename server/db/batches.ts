import { DatabaseError, type Result } from './database.ts';
import type { PipelineRun, Statement } from './pipeline.ts';
import type { Slots } from './slots.ts';
import { createStatementTimes } from './statement-times.ts';

type Turn = Parameters<Slots['run']>[0];

/** Runs statements of callers, in one transaction for each caller. */
export type Batches = {
  /**
   * Returns the result of the last statement, which is the caller's own; the ones before it set its role and claims. `started` is called
   * before they are sent.
   */
  run(turn: Turn, statements: readonly Statement[], started?: () => void): Promise<Result>;
};

/** One caller's transaction that waits for a slot. */
type Waiting = PromiseWithResolvers<Result> & {
  readonly statements: readonly Statement[];
  readonly started: (() => void) | undefined;
  /** Whether it was sent, in its own turn or with another. */
  sent: boolean;
};

/** The brief transactions of a class. */
type Lane = {
  readonly waiting: Set<Waiting>;
  /** Batches that are sent and not answered yet. */
  running: number;
  /** Resolves when a batch has ended or a full one waits. */
  changed: PromiseWithResolvers<void>;
};

/** How transactions are sent together. */
export type BatchSettings = {
  /** The most that are sent together: the last of them waits for all others. */
  readonly most: number;
  /**
   * While so many batches of a class run, another one starts only when it is full. What waits for the end of a batch shares the next one; on a
   * connection of its own it would cost the database a process to wake.
   */
  readonly atOnce: number;
  /** What a transaction that has its slot waits for, so that others can go along; null: nothing. */
  readonly wait: (() => Promise<void>) | null;
};

/**
 * Sends transactions that wait for a slot together: who gets a slot takes those of its class along that have waited longest, in one write
 * on its connection. Each keeps its place in the queue of `slots`, which refuses it when it waits too long; when its turn comes after it was
 * sent, there is nothing left to do. Only statements that were brief until now share a connection. `send` runs pipelines one after the
 * other, each as a transaction of its own.
 */
export function createBatches(
  slots: Slots,
  { most, atOnce, wait }: BatchSettings,
  send: (runs: readonly PipelineRun[]) => Promise<void>,
): Batches {
  const lanes = new Map<string, Lane>();
  const laneOf = (workClass: string): Lane => {
    const lane = lanes.get(workClass) ?? { waiting: new Set(), running: 0, changed: Promise.withResolvers<void>() };
    lanes.set(workClass, lane);
    return lane;
  };
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
    // Every transaction has its own outcome; this error means that none was sent, or that the connection is gone.
    await send(runs).catch((error: unknown) => {
      // One of them may have taken so long that the engine was ended: for a while none is known to be brief.
      for (const { statements } of batch) times.add(statements.at(-1)?.text ?? '', performance.now() - began, true);
      batch.forEach(({ reject }) => reject(error));
    });
  };
  const sendBrief = async (own: Waiting, lane: Lane, takesAlong: (count: number) => void): Promise<void> => {
    if (wait) await wait();
    while (!own.sent && lane.running >= atOnce && lane.waiting.size < most) await lane.changed.promise;
    if (own.sent) return;
    lane.waiting.delete(own);
    const batch = [own, ...takeOldest(lane.waiting, most - 1)];
    takesAlong(batch.length);
    lane.running += 1;
    await sendAll(batch); // never throws
    lane.running -= 1;
    announceChange(lane);
  };
  return {
    run(turn, statements, started) {
      const own: Waiting = { ...Promise.withResolvers<Result>(), statements, started, sent: false };
      const lane = laneOf(turn.workClass);
      const brief = times.isBrief(statements.at(-1)?.text ?? '');
      if (brief) lane.waiting.add(own);
      if (brief && lane.waiting.size === most) announceChange(lane);
      slots
        .run(turn, (takesAlong) => (brief ? sendBrief(own, lane, takesAlong) : sendAll([own])))
        .catch((error: unknown) => {
          lane.waiting.delete(own);
          if (!own.sent) own.reject(error);
        });
      return own.promise;
    },
  };
}

/** Lets the transactions that have a slot look again whether they may start. */
function announceChange(lane: Lane): void {
  lane.changed.resolve();
  lane.changed = Promise.withResolvers<void>();
}

/** Resolves when the event loop has read everything that has come until now, so that requests which arrive together share a write. */
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
