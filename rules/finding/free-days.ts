import type { Busy } from '../slots.ts';
import { addDays, dayBounds, type StudioDate } from '../studio-time.ts';

const HOUR_MS = 3_600_000;

/**
 * Returns the number of free hours of each day, counted from `now`. A day has 23 to 25 hours. Spans may overlap each other. An hour that
 * has begun is not free.
 */
export function freeHoursByDay(
  { first, days, busy }: { readonly first: StudioDate; readonly days: number; readonly busy: readonly Busy[] },
  now: Date,
): ReadonlyMap<StudioDate, number> {
  const sorted = busy.toSorted((span, other) => span.start.getTime() - other.start.getTime());
  const from = Math.ceil(now.getTime() / HOUR_MS) * HOUR_MS;
  const free = new Map<StudioDate, number>();
  for (let index = 0; index < days; index += 1) {
    const date = addDays(first, index);
    const { start, end } = dayBounds(date);
    free.set(date, freeMs(Math.max(start.getTime(), from), end.getTime(), sorted) / HOUR_MS);
  }
  return free;
}

/** Returns how many milliseconds of a span no other span covers. `sorted` must be sorted by start. */
function freeMs(from: number, to: number, sorted: readonly Busy[]): number {
  let free = 0;
  let at = from;
  for (const { start, end } of sorted) {
    if (end.getTime() <= at || start.getTime() >= to) continue;
    free += Math.max(0, start.getTime() - at);
    at = end.getTime();
  }
  return free + Math.max(0, to - at);
}
