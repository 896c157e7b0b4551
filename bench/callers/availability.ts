export const DAY = 24 * 3_600_000;
/** The three rooms of a new installation. */
export const STUDIOS = 'abc'.split('').map((letter) => `5a000000-0000-4000-8000-00000000000${letter}`);

const time = (at: number): string => new Date(at).toISOString().replace('.000', '');

/** Returns the booking page's request for one room on the two days from `first`, in Unix milliseconds. `bookings`: the relation's name. */
export function availability(studio: string, first: number, bookings = 'bookings') {
  const [before, from, to] = [time(first - DAY), time(first), time(first + 2 * DAY)];
  const path = `/rest/v1/${bookings}?select=studio_id,start_time,end_time,status&studio_id=eq.${studio}&status=neq.cancelled&start_time=gte.${before}&start_time=lt.${to}&end_time=gt.${from}`;
  return { path, before, from, to };
}

/**
 * Returns paths for each room on each of these days. Identical reads by guests share one execution, so a single path would measure only
 * that.
 */
export const availabilityPaths = (first: number, days: number): readonly string[] =>
  STUDIOS.flatMap((studio) => Array.from({ length: days }, (_, day) => availability(studio, first + day * DAY).path));
