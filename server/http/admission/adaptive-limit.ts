/** The number of requests that may be in progress, which is lower while answers are slow. */
export type AdaptiveLimit = {
  current(): number;
  /** Counts an answer with its duration in milliseconds. */
  add(ms: number): void;
};

/** The limit falls while most answers take longer than this. */
const SLOW_MS = 300;
/** The limit never falls below this fraction of the maximum, because some requests are slow even on an idle server. */
const LEAST_PART = 0.4;
/** The limit changes at most once per window, which has at least this duration and number of answers. */
const WINDOW_MS = 250;
const WINDOW_ANSWERS = 20;
const DOWN = 0.6;
const UP = 1.1;

/**
 * Returns a limit between `LEAST_PART` of `max` and `max`. Requests in progress share the processor and the database, so on a slow or busy
 * machine the same number of requests takes longer. The limit therefore follows the duration of the answers.
 */
export function createAdaptiveLimit(max: number, now: () => number): AdaptiveLimit {
  const least = max * LEAST_PART;
  let limit = max;
  let began = now();
  let answers = 0;
  let slow = 0;
  return {
    current: () => limit,
    add(ms) {
      answers += 1;
      if (ms > SLOW_MS) slow += 1;
      if (answers < WINDOW_ANSWERS || now() - began < WINDOW_MS) return;
      limit = slow * 2 > answers ? Math.max(least, limit * DOWN) : Math.min(max, limit * UP);
      [began, answers, slow] = [now(), 0, 0];
    },
  };
}
