/** How many requests may be in progress: fewer while answers are slow. */
export type AdaptiveLimit = {
  current(): number;
  /** Counts an answer and how long it took, in milliseconds. */
  add(ms: number): void;
};

/** The limit falls while most answers take longer than this. */
const SLOW_MS = 300;
/** It never falls below this part: some requests are slow although the server is not busy. */
const LEAST_PART = 0.4;
/** The limit changes once in this time, and after so many answers. */
const WINDOW_MS = 250;
const WINDOW_ANSWERS = 20;
const DOWN = 0.6;
const UP = 1.1;

/**
 * Returns a limit between a part of `max` and `max`. Requests in progress share the processor and the database: with as many of them as
 * before each takes longer on a slow or busy machine, so their number follows the time that they take.
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
