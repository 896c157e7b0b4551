/**
 * Whose work a statement is, highest first: a free slot goes to the first class that waits for one. `urgent`: holds, payments and access
 * codes. `server`: the server's own jobs.
 */
export const WORK_CLASSES = ['urgent', 'staff', 'customer', 'server', 'guest'] as const;
export type WorkClass = (typeof WORK_CLASSES)[number];

/** What one class may use: statements that run at once, statements that wait, and how long each waits, in milliseconds. */
type ClassLimit = { readonly running: number; readonly waiting: number; readonly waitMs: number };
export type ClassLimits = Readonly<Record<WorkClass, ClassLimit>>;

/** Statements of one class: waiting now, and refused since the start. */
export type ClassLoad = { readonly waiting: number; readonly refused: number };
export type DatabaseLoad = Readonly<Record<WorkClass, ClassLoad>>;

export function forEachClass<T>(valueOf: (workClass: WorkClass) => T): Readonly<Record<WorkClass, T>> {
  return {
    urgent: valueOf('urgent'),
    staff: valueOf('staff'),
    customer: valueOf('customer'),
    server: valueOf('server'),
    guest: valueOf('guest'),
  };
}

/**
 * How many statements of a class may wait (half as many of guests), and for how long. The server's own work is not refused for its number;
 * what waits for `ownWaitMs` has met a deadlock.
 */
export type QueueOptions = { readonly waiting: number; readonly waitMs: number; readonly ownWaitMs: number };

/** Limits of each class for `slots` slots. `shares`: the part of them that a class may use at once, at least `least`. */
export function classLimits(
  slots: number,
  shares: Readonly<Record<WorkClass, number>>,
  queue: QueueOptions,
  least = 1,
): ClassLimits {
  const { waiting, waitMs, ownWaitMs } = queue;
  return forEachClass((workClass) => ({
    running: Math.min(slots, Math.max(least, Math.floor(slots * shares[workClass]))),
    waiting:
      workClass === 'server' ? Number.POSITIVE_INFINITY : workClass === 'guest' ? Math.ceil(waiting / 2) : waiting,
    waitMs: workClass === 'server' ? ownWaitMs : waitMs,
  }));
}
