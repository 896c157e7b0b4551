/** How long the statements of each key took lately: of a caller, or with one text. */
export type Durations = {
  add(key: string, ms: number): void;
  /** The mean in milliseconds, newer statements count more; null when fewer than `least` are remembered. */
  mean(key: string, least: number): number | null;
};

/** How much the newest statement counts beside those before it. */
const WEIGHT = 0.3;
const FORGET_MS = 60_000;
/** The most keys remembered; beyond that the one that was idle longest is dropped. */
const KEYS_MAX = 10_000;

export function createDurations(now: () => number): Durations {
  const known = new Map<string, { readonly ms: number; readonly count: number; readonly at: number }>();
  const of = (key: string) => {
    const found = known.get(key);
    return found && now() - found.at < FORGET_MS ? found : null;
  };
  return {
    add(key, ms) {
      const before = of(key);
      const [oldest] = known.keys();
      known.delete(key); // re-insert, so that the map is ordered by last use
      if (known.size >= KEYS_MAX && oldest !== undefined) known.delete(oldest);
      const mean = before ? before.ms * (1 - WEIGHT) + ms * WEIGHT : ms;
      known.set(key, { ms: mean, count: (before?.count ?? 0) + 1, at: now() });
    },
    mean(key, least) {
      const found = of(key);
      return found && found.count >= least ? found.ms : null;
    },
  };
}
