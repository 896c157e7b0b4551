/** Counts events of one holder: `take` returns false when `max` per window is exceeded. */
export type Rate = { take(now: number): boolean };

/** A sliding window in six parts: `max` events in any `milliseconds`, exact to a sixth of the window. */
export function createRate(max: number, milliseconds: number): Rate {
  const part = milliseconds / PARTS;
  const counts = new Map<number, number>();
  return {
    take(now) {
      const current = Math.floor(now / part);
      let total = 0;
      for (const [at, count] of counts) {
        if (at <= current - PARTS) counts.delete(at);
        else total += count;
      }
      if (total >= max) return false;
      counts.set(current, (counts.get(current) ?? 0) + 1);
      return true;
    },
  };
}

const PARTS = 6;
