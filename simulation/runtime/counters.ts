/** Counts how often each thing happened, so that a run in which it never happens is noticed. */
export type Counters = {
  count(name: string): void;
  all(): ReadonlyMap<string, number>;
};

export function createCounters(): Counters {
  const counts = new Map<string, number>();
  return {
    count: (name) => void counts.set(name, (counts.get(name) ?? 0) + 1),
    all: () => new Map([...counts].toSorted(([a], [b]) => (a < b ? -1 : 1))),
  };
}
