/**
 * The classes of work, highest first: a free slot goes to the first class that waits for one. `urgent`: holds, payments and access codes.
 * `server`: the server's own jobs.
 */
export const WORK_CLASSES = ['urgent', 'staff', 'customer', 'server', 'guest'] as const;
export type WorkClass = (typeof WORK_CLASSES)[number];

/** The limits of one class: statements that run at once, statements that wait, and how long each may wait, in milliseconds. */
type ClassLimit = { readonly running: number; readonly waiting: number; readonly waitMs: number };
export type ClassLimits = Readonly<Record<WorkClass, ClassLimit>>;

/** The number of statements of one class that wait now, and that were refused since the start. */
export type ClassLoad = { readonly waiting: number; readonly refused: number };
export type DatabaseLoad = Readonly<Record<WorkClass, ClassLoad>>;

export function forEachClass<T>(getValue: (workClass: WorkClass) => T): Readonly<Record<WorkClass, T>> {
  return {
    urgent: getValue('urgent'),
    staff: getValue('staff'),
    customer: getValue('customer'),
    server: getValue('server'),
    guest: getValue('guest'),
  };
}

/**
 * How many statements of a class may wait (half as many for guests), and for how long. The server's own statements are not limited in
 * number; one that has waited for `ownWaitMs` is deadlocked.
 */
export type QueueOptions = { readonly waiting: number; readonly waitMs: number; readonly ownWaitMs: number };

/**
 * Returns the limits of each class for `slots` slots. `shares`: the share of the slots that a class may use at once, but at least `least`
 * slots.
 */
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
