import { useQuery } from '@tanstack/react-query';
import { areFree, nearestFree, type StudioHours } from '#rules/nearest-free.ts';
import { sortSlots } from '#rules/slots.ts';
import { addDays } from '#rules/studio-time.ts';
import { readRooms } from '#web/data/finding/availability.ts';
import { pollWhile, useLive } from '#web/data/live.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { blocking, type Days } from '#web/data/finding/taken.ts';
import { useBusiness } from '#web/lib/business/business.ts';

/** Polling interval without a live connection. */
const POLL_MS = 10_000;
/** Days to read after the lost hours. An offer begins within a day of them, and the longest session ends a day after its start. */
const DAYS_AFTER = 3;

/** `unknown`: the server could not be reached. `again`: all of the lost hours are free again. */
export type Offers =
  | { readonly state: 'loading' }
  | { readonly state: 'unknown' }
  | { readonly state: 'again' }
  | { readonly state: 'found'; readonly list: readonly StudioHours[] };

/** Finds free hours near a lost selection in all studios, and follows their changes. */
export function useOffers(options: {
  lost: StudioHours;
  studioIds: readonly string[];
  userId: string | null;
  now: Date;
}): Offers {
  const { lost, studioIds, userId, now } = options;
  const { horizonDays } = useBusiness();
  const days = daysAround(lost);
  const live = useLive(
    studioIds.map((id) => `studio:${id}` as const),
    queryKeys.availability.all,
  );
  const { data, isError } = useQuery({
    queryKey: queryKeys.availability.of('offers', studioIds.join(' '), userId, days.from, days.to),
    queryFn: () => readRooms(studioIds, days, userId),
    refetchInterval: pollWhile(live, POLL_MS),
  });
  // An outdated answer could offer hours that are taken.
  if (isError) return { state: 'unknown' };
  if (data === undefined || studioIds.length === 0) return { state: 'loading' };
  const studios = studioIds.map((studioId) => ({ studioId, busy: blocking(data.get(studioId) ?? []) }));
  const here = studios.find(({ studioId }) => studioId === lost.studioId);
  if (here && areFree(lost.slots, here.busy, now, horizonDays)) return { state: 'again' };
  return { state: 'found', list: nearestFree(lost, studios, now, horizonDays) };
}

function daysAround({ slots }: StudioHours): Days {
  const first = sortSlots(slots)[0]?.date ?? '1970-01-01';
  return { from: addDays(first, -1), to: addDays(first, DAYS_AFTER) };
}
