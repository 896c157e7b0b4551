import { LRUCache } from 'lru-cache';
import { CallerStopped } from '../database.ts';

/** Counts stopped statements per caller. */
export type Stops = {
  /** Counts one stop. */
  add(caller: string): void;
  /** Returns the whole seconds until this caller may use the engine again; null if it may use it now. */
  wait(caller: string): number | null;
  /** Throws `CallerStopped` while this caller is suspended. */
  check(caller: string | undefined): void;
};

const WINDOW_MS = 60_000;
/** The maximum number of callers; beyond it, the caller whose last stop is oldest is dropped, which is why checks only `peek`. */
const CALLERS_MAX = 10_000;

/** Suspends a caller after `max` stops within a minute, until the first of these is a minute old. */
export function createStops(max = 3, now: () => number = Date.now): Stops {
  const times = new LRUCache<string, number[]>({ max: CALLERS_MAX });
  const wait = (caller: string): number | null => {
    const stops = times.peek(caller);
    const first = stops?.at(-max);
    if (first === undefined) return null;
    const remainingMs = first + WINDOW_MS - now();
    return remainingMs > 0 ? Math.ceil(remainingMs / 1000) : null;
  };
  return {
    add(caller) {
      times.set(caller, [...(times.peek(caller) ?? []), now()].slice(-max));
    },
    wait,
    check(caller) {
      if (times.size === 0 || caller === undefined) return;
      const seconds = wait(caller);
      if (seconds !== null) throw new CallerStopped(seconds);
    },
  };
}
