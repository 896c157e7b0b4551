import { useQueries } from '@tanstack/react-query';
import { freeHoursByDay } from '#rules/finding/free-days.ts';
import { addDays, type StudioDate } from '#rules/studio-time.ts';
import { queryKeys } from '../query-keys.ts';
import { readDays } from './availability.ts';

/** How many days are counted, today included. They fill the calendar's first pages. */
const DAYS = 42;
/** Milliseconds for which the counts stay fresh. The grid shows changes at once; the calendar may lag by a minute. */
const FRESH_MS = 60_000;

/** Queries the number of free hours on each day in all of these studios together. Undefined until it is known, or if it cannot be read. */
export function useFreeDays(
  studioIds: readonly string[],
  today: StudioDate,
): ReadonlyMap<StudioDate, number> | undefined {
  return useQueries({
    queries: studioIds.map((studioId) => ({
      queryKey: queryKeys.freeDays.of(studioId, today),
      queryFn: async () => {
        const taken = await readDays(studioId, { from: today, to: addDays(today, DAYS - 1) }, null);
        return freeHoursByDay({ first: today, days: DAYS, busy: taken.get(studioId) ?? [] }, new Date());
      },
      staleTime: FRESH_MS,
      refetchInterval: FRESH_MS,
    })),
    combine: joinDays,
  });
}

type Days = ReadonlyMap<StudioDate, number>;

/** Adds up the free hours of several studios. */
function joinDays(answers: readonly { readonly data: Days | undefined }[]): Days | undefined {
  const [first, ...others] = answers.map(({ data }) => data);
  if (first === undefined || others.includes(undefined)) return undefined;
  return new Map(
    [...first].map(([day, hours]) => [day, others.reduce((sum, days) => sum + (days?.get(day) ?? 0), hours)]),
  );
}
