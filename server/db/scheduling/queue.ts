import { forEachClass, WORK_CLASSES, type WorkClass } from '../work-class.ts';
import type { Estimates } from './estimates.ts';
import type { Ticket } from './ticket.ts';

/** Waiting work, and the order in which it gets slots. It is synchronous and has no timers. */
export type Queue<Job extends { readonly ticket: Ticket }> = {
  add(job: Job): void;
  remove(job: Job): void;
  /** The number of waiting jobs of a class. */
  waiting(workClass: WorkClass): number;
  /** Whether a job of another caller waits. */
  othersWait(caller: string): boolean;
  /**
   * Returns the job that must give way to a further one of `caller` in a full class: the newest of the caller with the most waiting jobs.
   * Null if no caller has more of them than `caller` would have.
   */
  findSurplus(workClass: WorkClass, caller: string): Job | null;
  /** Removes and returns the job whose turn it is among the classes that have a free slot. Null: none may start now. */
  takeNext(hasSlot: (workClass: WorkClass) => boolean): Job | null;
};

/** After this many turns of higher classes, a waiting class gets a turn; within a class, the caller that has waited longest does. */
const PATIENCE = 8;

/**
 * The highest waiting class goes first, except that a class that was passed over `PATIENCE` times goes before all others. Within a class,
 * callers take turns: the caller with the shortest expected job goes first, so that expensive jobs do not delay brief ones, and every
 * `PATIENCE`th turn goes to the caller that has waited longest. Each caller's own jobs keep their order.
 */
export function createQueue<Job extends { readonly ticket: Ticket }>(estimates: Estimates): Queue<Job> {
  const lanes = forEachClass(() => new Map<string, Job[]>());
  const waiting: Record<WorkClass, number> = { ...forEachClass(() => 0) };
  /** How many times a class was passed over while it waited. */
  const passedOver: Record<WorkClass, number> = { ...forEachClass(() => 0) };
  /** How many times one of several jobs of a class was chosen. */
  const choices: Record<WorkClass, number> = { ...forEachClass(() => 0) };

  const remove = (job: Job): void => {
    const { workClass, caller } = job.ticket;
    const lane = lanes[workClass].get(caller);
    const index = lane?.indexOf(job) ?? -1;
    if (!lane || index === -1) return;
    lane.splice(index, 1);
    if (lane.length === 0) lanes[workClass].delete(caller);
    waiting[workClass] -= 1;
  };

  /** Puts the caller's remaining jobs behind those of callers with the same rank. */
  const putLast = ({ workClass, caller }: Ticket): void => {
    const lane = lanes[workClass].get(caller);
    if (!lane) return;
    lanes[workClass].delete(caller);
    lanes[workClass].set(caller, lane);
  };

  return {
    add(job) {
      const { workClass, caller } = job.ticket;
      const lane = lanes[workClass].get(caller);
      if (lane) lane.push(job);
      else lanes[workClass].set(caller, [job]);
      waiting[workClass] += 1;
    },
    remove,
    waiting: (workClass) => waiting[workClass],
    othersWait: (caller) =>
      WORK_CLASSES.some((workClass) => lanes[workClass].size > (lanes[workClass].has(caller) ? 1 : 0)),
    findSurplus(workClass, caller) {
      let longest: readonly Job[] = [];
      for (const lane of lanes[workClass].values()) if (lane.length > longest.length) longest = lane;
      const own = lanes[workClass].get(caller)?.length ?? 0;
      return longest.length > own + 1 ? (longest.at(-1) ?? null) : null;
    },
    takeNext(hasSlot) {
      let highest: Job | null = null;
      let patient: Job | null = null;
      for (const workClass of WORK_CLASSES) {
        if (waiting[workClass] === 0 || !hasSlot(workClass)) continue;
        const longestWaiting = choices[workClass] % PATIENCE === PATIENCE - 1;
        const job = findNext(lanes[workClass].values(), estimates, longestWaiting);
        if (job === null) continue;
        highest ??= job;
        if (passedOver[workClass] >= PATIENCE) patient ??= job;
        passedOver[workClass] += 1;
      }
      const job = patient ?? highest;
      if (!job) return null;
      const { workClass } = job.ticket;
      passedOver[workClass] = 0;
      if (waiting[workClass] > 1) choices[workClass] += 1;
      remove(job);
      putLast(job.ticket);
      return job;
    },
  };
}

/**
 * Returns the next job of a class, or null if none may start now. Only the first job of each caller is considered. `longestWaiting`: returns
 * that of the caller that has waited longest, otherwise the one with the shortest expected duration.
 */
function findNext<Job extends { readonly ticket: Ticket }>(
  lanes: Iterable<readonly Job[]>,
  estimates: Estimates,
  longestWaiting: boolean,
): Job | null {
  let best: Job | null = null;
  let bestRank = Number.POSITIVE_INFINITY;
  for (const [job] of lanes) {
    if (!job || estimates.isHeldBack(job.ticket)) continue;
    if (longestWaiting) return job;
    const rank = estimates.rank(job.ticket);
    if (rank >= bestRank) continue;
    best = job;
    bestRank = rank;
  }
  return best;
}
