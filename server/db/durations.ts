import { LRUCache } from 'lru-cache';

/** Moving average of statement duration, per caller or per statement text. */
export type Durations = {
  add(key: string, ms: number): void;
  /** Returns the mean in milliseconds, weighted towards newer statements; null with fewer than `least` samples. */
  mean(key: string, least: number): number | null;
};

/** The weight of the newest statement in the moving average. */
const WEIGHT = 0.3;
const FORGET_MS = 60_000;
/** The maximum number of keys; beyond it, the key whose last statement is oldest is dropped, which is why `mean` only peeks. */
const KEYS_MAX = 10_000;

export function createDurations(now: () => number): Durations {
  const averages = new LRUCache<string, { readonly ms: number; readonly count: number; readonly at: number }>({
    max: KEYS_MAX,
  });
  const recent = (key: string) => {
    const found = averages.peek(key);
    return found && now() - found.at < FORGET_MS ? found : null;
  };
  return {
    add(key, ms) {
      const before = recent(key);
      const mean = before ? before.ms * (1 - WEIGHT) + ms * WEIGHT : ms;
      averages.set(key, { ms: mean, count: (before?.count ?? 0) + 1, at: now() });
    },
    mean(key, least) {
      const found = recent(key);
      return found && found.count >= least ? found.ms : null;
    },
  };
}
