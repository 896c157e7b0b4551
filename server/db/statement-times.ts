import { LRUCache } from 'lru-cache';

/** Moving average of statement duration, per statement text. */
export type StatementTimes = {
  /** `alone`: the time includes the way to the database and back; of statements that were sent together, only the first one's does. */
  add(text: string, ms: number, alone: boolean): void;
  /** Whether a statement is known to be brief. */
  isBrief(text: string): boolean;
};

/** How much longer than the briefest statement a brief one may take. */
const BRIEF_MS = 5;
/** On a busy machine every statement takes long; then a brief one may take this many times the briefest. */
const BRIEF_TIMES = 2;
/** How much the newest run counts beside those before it. */
const WEIGHT = 0.2;
/** Runs after which a statement is known. */
const KNOWN = 5;
/** Statements remembered; beyond that the one that ran longest ago is dropped, which is why `isBrief` only peeks. */
const TEXTS_MAX = 1_000;
/** How old a time may be that says how busy the machine is, and how often the briefest is looked for. */
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
