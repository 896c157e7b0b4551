import { keepPreviousData, skipToken, useQuery } from '@tanstack/react-query';
import type { Slot } from '#rules/slots.ts';
import type { StudioDate } from '#rules/studio-time.ts';
import { readDays } from '#web/data/finding/availability.ts';
import { pollWhile, useLive } from '#web/data/live.ts';
import { openHoldsOf, useOwnBookings } from '#web/data/own-bookings.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import type { Taken } from '#web/data/taken.ts';
import { daysToRead } from './selection.ts';

const POLL_MS = 5_000;

export type Hours = {
  /** Taken spans; undefined until they are known for the chosen day. */
  readonly taken: readonly Taken[] | undefined;
  /** When they were read; undefined with `taken`. */
  readonly checkedAt: Date | undefined;
  /** The last request failed: `taken` is missing or may be out of date. */
  readonly unsure: boolean;
  readonly failed: boolean;
  /** Changes of others show at once. */
  readonly live: boolean;
  readonly refetch: () => void;
};

/**
 * Reads the taken hours when somebody books or releases hours, when the page gets the focus again, and every few seconds without a live
 * connection; `paused` while leaving for payment.
 */
export function useAvailability(ask: {
  studioId: string | null;
  userId: string | null;
  ready: boolean;
  slots: readonly Slot[];
  date: StudioDate;
  paused: boolean;
}): Hours {
  const { studioId, userId, date } = ask;
  const days = daysToRead(ask.slots, date);
  const listens = studioId !== null && ask.ready && !ask.paused;
  const live = useLive(listens ? `studio:${studioId}` : null, queryKeys.availability.all);
  const answer = useQuery({
    queryKey: queryKeys.availability.of('grid', studioId, userId, days.from, days.to),
    queryFn:
      studioId === null
        ? skipToken
        : async () => {
            const taken = await readDays(studioId, days, userId);
            return { studioId, ...days, taken: taken.get(studioId) ?? [], checkedAt: new Date() };
          },
    enabled: ask.ready,
    // While paused, the customer's own new hold would show up as taken.
    refetchInterval: (query) => {
      if (ask.paused) return false;
      return query.state.status === 'error' ? POLL_MS : pollWhile(live, POLL_MS);
    },
    placeholderData: keepPreviousData,
  });
  const { data } = answer;
  // Data of other days says nothing about this one: show a skeleton rather than a taken hour as free.
  const covers = data !== undefined && data.studioId === studioId && data.from <= days.from && data.to >= date;
  return {
    taken: covers ? data.taken : undefined,
    checkedAt: covers ? data.checkedAt : undefined,
    unsure: answer.isError,
    failed: answer.isError,
    live,
    refetch: () => void answer.refetch(),
  };
}

/** Queries the customer's unpaid holds; `loaded` is true once the server has answered. */
export function useOpenHolds(userId: string | null, now: Date) {
  const bookings = useOwnBookings(userId);
  return {
    holds: openHoldsOf(bookings.data ?? [], now),
    loaded: userId === null || !bookings.isPending,
    refetch: () => void bookings.refetch(),
  };
}
