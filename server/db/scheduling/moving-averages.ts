import { LRUCache } from 'lru-cache';

/** Moving averages of durations in milliseconds, one per key. */
export type MovingAverages = {
  add(key: string, ms: number): void;
  /** Returns the average of a key, weighted towards newer samples; null with fewer than `samples` samples over the last minute. */
  mean(key: string, samples: number): number | null;
  /** Returns the lowest average among the keys with a sample over the last two seconds; 0 if there is none. */
  lowest(samples: number): number;
};

/** The weight of the newest sample. */
const WEIGHT = 0.25;
/** An average whose newest sample is older than this is no longer used. */
const FORGET_MS = 60_000;
const RECENT_MS = 2_000;
/** How often the lowest average is determined again. */
const LOWEST_EVERY_MS = 250;

type Average = { readonly ms: number; readonly count: number; readonly at: number };

/** `keys`: the maximum number of keys. Beyond it, the key whose newest sample is oldest is dropped, which is why reads only peek. */
export function createMovingAverages(keys: number, now: () => number): MovingAverages {
  const averages = new LRUCache<string, Average>({ max: keys });
  let lowest = { ms: 0, at: Number.NEGATIVE_INFINITY };
  const find = (key: string): Average | null => {
    const found = averages.peek(key);
    return found && now() - found.at < FORGET_MS ? found : null;
  };
  return {
    add(key, ms) {
      const previous = find(key);
      const mean = previous ? previous.ms * (1 - WEIGHT) + ms * WEIGHT : ms;
      averages.set(key, { ms: mean, count: (previous?.count ?? 0) + 1, at: now() });
    },
    mean(key, samples) {
      const found = find(key);
      return found && found.count >= samples ? found.ms : null;
    },
    lowest(samples) {
      if (now() - lowest.at < LOWEST_EVERY_MS) return lowest.ms;
      const recent = [...averages.values()].filter(({ at, count }) => now() - at < RECENT_MS && count >= samples);
      lowest = { ms: recent.length === 0 ? 0 : Math.min(...recent.map(({ ms }) => ms)), at: now() };
      return lowest.ms;
    },
  };
}
