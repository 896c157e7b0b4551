import { useQuery } from '@tanstack/react-query';
import { freeHoursByDay } from '#rules/finding/free-days.ts';
import { addDays, type StudioDate } from '#rules/studio-time.ts';
import { queryKeys } from '../query-keys.ts';
import { readDays } from './availability.ts';

/** How many days are counted, today included: those of the calendar's first pages. */
const DAYS = 42;
/** The grid shows changes at once; the calendar may be a minute behind. */
const FRESH_MS = 60_000;

/** Queries how many hours of each day are free in a studio; undefined until that is known, or when it cannot be read. */
export function useFreeDays(studioId: string | null, today: StudioDate): ReadonlyMap<StudioDate, number> | undefined {
  const { data } = useQuery({
    queryKey: queryKeys.freeDays.of(studioId, today),
    queryFn: async () => {
      const taken = await readDays(studioId, { from: today, to: addDays(today, DAYS - 1) }, null);
      return freeHoursByDay({ first: today, days: DAYS, busy: taken.get(studioId ?? '') ?? [] }, new Date());
    },
    enabled: studioId !== null,
    staleTime: FRESH_MS,
    refetchInterval: FRESH_MS,
  });
  return data;
}
