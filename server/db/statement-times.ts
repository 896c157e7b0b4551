import { LRUCache } from 'lru-cache';

/** Moving average of statement duration, per statement text. */
export type StatementTimes = {
  /**
   * `alone`: whether the time includes the round trip to the database. Of statements that were sent together, only that of the first one
   * does.
   */
  add(text: string, ms: number, alone: boolean): void;
  /** Whether a statement is known to be brief. */
  isBrief(text: string): boolean;
};

/** A brief statement may take this many milliseconds more than `BRIEF_TIMES` times the briefest one. */
const BRIEF_MS = 5;
/** On a busy machine every statement is slow, so a brief statement may take this many times as long as the briefest one. */
const BRIEF_TIMES = 2;
/** The weight of the newest run in the moving average. */
const WEIGHT = 0.2;
/** Number of samples before a statement's average is trusted. */
const KNOWN = 5;
/** The maximum number of statements; beyond it, the one that ran longest ago is dropped, which is why `isBrief` only peeks. */
const TEXTS_MAX = 1_000;
/** The maximum age of a sample that shows how busy the machine is, and how often the briefest statement is determined. */
const RECENT_MS = 2_000;
const LOOK_MS = 250;

type Average = { readonly ms: number; readonly count: number; readonly at: number };

export function createStatementTimes(now: () => number = () => performance.now()): StatementTimes {
  const averages = new LRUCache<string, Average>({ max: TEXTS_MAX });
  let least = { ms: 0, at: Number.NEGATIVE_INFINITY };
  const leastMs = (): number => {
    if (now() - least.at < LOOK_MS) return least.ms;
    const recent = [...averages.values()].filter(({ at, count }) => now() - at < RECENT_MS && count >= KNOWN);
    least = { ms: recent.length === 0 ? 0 : Math.min(...recent.map(({ ms }) => ms)), at: now() };
    return least.ms;
  };
  return {
    add(text, ms, alone) {
      const before = averages.peek(text);
      if (!alone && before && ms <= before.ms) return;
      const mean = before ? before.ms * (1 - WEIGHT) + ms * WEIGHT : ms;
      averages.set(text, { ms: mean, count: (before?.count ?? 0) + 1, at: now() });
    },
    isBrief(text) {
      const found = averages.peek(text);
      return found !== undefined && found.count >= KNOWN && found.ms < BRIEF_MS + BRIEF_TIMES * leastMs();
    },
  };
}
