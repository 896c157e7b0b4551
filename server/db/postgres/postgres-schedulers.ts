import { DatabaseError, type Principal } from '../database.ts';
import { createEndOfTurn } from '../scheduling/end-of-turn.ts';
import { createScheduler, type Scheduler } from '../scheduling/scheduler.ts';
import type { Ticket } from '../scheduling/ticket.ts';
import { classLimits, type DatabaseLoad, forEachClass, type QueueOptions, type WorkClass } from '../work-class.ts';

export type PostgresQueue = QueueOptions & {
  /** The time limit of the first attempt at a caller's statement, in milliseconds. */
  readonly quickMs: number;
};
export const DEFAULT_QUEUE: PostgresQueue = { waiting: 400, waitMs: 2_000, ownWaitMs: 30_000, quickMs: 100 };

/** Allocates the connections of the two logins. */
export type PostgresSchedulers = {
  /** Slots for the server's own statements. */
  readonly backend: Scheduler;
  /** Slots for statements of callers that are limited to `quickMs`. */
  readonly quick: Scheduler;
  /**
   * Runs a caller's statement, first with the short limit, and again without it if the limit was too short. `runQuickly` replaces the first
   * attempt and its slot.
   */
  runStatement<T>(
    ticket: Ticket,
    principal: Principal,
    run: (principal: Principal) => Promise<T>,
    runQuickly?: (principal: Principal) => Promise<T>,
  ): Promise<T>;
  /** Runs a caller's transaction. It cannot run twice, so a guest's transaction counts as long. */
  runTransaction<T>(ticket: Ticket, run: () => Promise<T>): Promise<T>;
  load(): DatabaseLoad;
};

/** The share of the backend's connections that a class may use at once. */
const BACKEND_SHARES: Readonly<Record<WorkClass, number>> = {
  urgent: 1,
  staff: 0.8,
  customer: 0.7,
  server: 0.5,
  guest: 0.4,
};
const CALLER_SHARES: Readonly<Record<WorkClass, number>> = {
  urgent: 1,
  staff: 1,
  customer: 0.8,
  server: 0.5,
  guest: 0.7,
};
/** Guests may use only a few of the connections for long statements: each occupies a core of the database. */
const LONG_SHARES: Readonly<Record<WorkClass, number>> = {
  urgent: 1,
  staff: 1,
  customer: 0.75,
  server: 0.5,
  guest: 0.5,
};
/** The share of the callers' connections that run long statements. */
const LONG_PART = 0.4;
/** Factor by which a long statement may wait longer for its turn, because the statements before it run for seconds. */
const LONG_WAIT = 5;
/** The server's workers run queries while they have a transaction open: with fewer connections they could wait for each other. */
const BACKEND_LEAST = 2;
const STOPPED = '57014';

/**
 * Creates the slots of both logins. A caller's statement first runs with a limit of `quickMs`, so it soon leaves its slot. PostgreSQL rolls
 * back a statement that it stops, so the statement then runs again with its full time in one of a few other slots: expensive statements
 * wait for each other there, and light ones do not wait for them.
 */
export function createPostgresSchedulers(poolSize: number, queue: PostgresQueue): PostgresSchedulers {
  const forLong = Math.max(1, Math.floor(poolSize * LONG_PART));
  const forQuick = Math.max(1, poolSize - forLong);
  const backend = createScheduler({
    slots: poolSize,
    limits: classLimits(poolSize, BACKEND_SHARES, queue, BACKEND_LEAST),
  });
  const quick = createScheduler({
    slots: forQuick,
    limits: classLimits(forQuick, CALLER_SHARES, queue),
    endOfTurn: createEndOfTurn(),
  });
  const longQueue = { ...queue, waiting: Math.ceil(queue.waiting / 4), waitMs: queue.waitMs * LONG_WAIT };
  const long = createScheduler({ slots: forLong, limits: classLimits(forLong, LONG_SHARES, longQueue) });
  const schedulers = [backend, quick, long];
  return {
    backend,
    quick,
    async runStatement(ticket, principal, run, runQuickly = (limited) => quick.run(ticket, () => run(limited))) {
      const limited = { ...principal, settings: { ...principal.settings, statement_timeout: `${queue.quickMs}ms` } };
      try {
        return await runQuickly(limited);
      } catch (error) {
        if (!(error instanceof DatabaseError) || error.code !== STOPPED) throw error;
      }
      return long.run(ticket, () => run(principal));
    },
    runTransaction: (ticket, run) => (ticket.workClass === 'guest' ? long : quick).run(ticket, run),
    load: () =>
      forEachClass((workClass) => {
        const loads = schedulers.map((scheduler) => scheduler.load()[workClass]);
        return {
          waiting: loads.reduce((sum, load) => sum + load.waiting, 0),
          refused: loads.reduce((sum, load) => sum + load.refused, 0),
        };
      }),
  };
}
