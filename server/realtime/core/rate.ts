/** Counts events of one holder in a sliding window. */
export type Rate = {
  /** Counts `amount` events. Returns false, and counts none, if they would exceed the maximum. */
  take(now: number, amount?: number): boolean;
  /** Returns the number of events in the window that ends now. */
  used(now: number): number;
};

/** Rates are averages over a minute, as in the service that this API mirrors. */
export const RATE_SECONDS = 60;

/** Creates a rate of `perSecond` events on average. */
export const createAverageRate = (perSecond: number): Rate => createRate(perSecond * RATE_SECONDS, RATE_SECONDS * 1000);

/** Creates a sliding window in twelve parts: at most `max` events in any `milliseconds`. The oldest part leaves the window as a whole. */
export function createRate(max: number, milliseconds: number): Rate {
  const part = milliseconds / PARTS;
  const counts = new Map<number, number>();
  const used = (now: number): number => {
    const current = Math.floor(now / part);
    let total = 0;
    for (const [at, count] of counts) {
      if (at <= current - PARTS) counts.delete(at);
      else total += count;
    }
    return total;
  };
  return {
    used,
    take(now, amount = 1) {
      if (used(now) + amount > max) return false;
      const current = Math.floor(now / part);
      counts.set(current, (counts.get(current) ?? 0) + amount);
      return true;
    },
  };
}

const PARTS = 12;
