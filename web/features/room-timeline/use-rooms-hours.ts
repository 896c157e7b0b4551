import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { addDays, type StudioDate } from '#rules/studio-time.ts';
import { readRooms } from '#web/data/finding/availability.ts';
import { pollWhile, useLive } from '#web/data/live.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import type { Taken } from '#web/data/finding/taken.ts';

const POLL_MS = 5_000;

/** The taken spans of all rooms on a day and the next day. `taken` is undefined until they are known for the chosen day. */
export type RoomsHours = {
  readonly taken: ReadonlyMap<string, readonly Taken[]> | undefined;
  /** When the spans were read; undefined if `taken` is. */
  readonly checkedAt: Date | undefined;
  /** The last request failed, so `taken` is missing or may be out of date. */
  readonly unsure: boolean;
  /** Changes by other customers show at once. */
  readonly live: boolean;
  readonly refetch: () => void;
};

/**
 * Reads the taken hours of all rooms in one query, and follows them like the grid of a single room. `paused`: true while the browser leaves
 * for the payment.
 */
export function useRoomsHours(ask: {
  studioIds: readonly string[];
  userId: string | null;
  ready: boolean;
  date: StudioDate;
  paused: boolean;
}): RoomsHours {
  const { studioIds, userId, ready, date, paused } = ask;
  const days = { from: date, to: addDays(date, 1) };
  const topics = studioIds.map((id) => `studio:${id}` as const);
  const live = useLive(ready && !paused ? topics : null, queryKeys.availability.all);
  const { data, isError, refetch } = useQuery({
    queryKey: queryKeys.availability.of('rooms', studioIds.join(' '), userId, days.from, days.to),
    queryFn: async () => ({ date, taken: await readRooms(studioIds, days, userId), checkedAt: new Date() }),
    enabled: ready && studioIds.length > 0,
    refetchInterval: (query) => {
      if (paused) return false;
      return query.state.status === 'error' ? POLL_MS : pollWhile(live, POLL_MS);
    },
    placeholderData: keepPreviousData,
  });
  return {
    taken: data?.date === date ? data.taken : undefined,
    checkedAt: data?.date === date ? data.checkedAt : undefined,
    unsure: isError,
    live,
    refetch: () => void refetch(),
  };
}
