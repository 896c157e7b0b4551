import { keepPreviousData, skipToken, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { Slot } from '#rules/slots.ts';
import type { StudioDate } from '#rules/studio-time.ts';
import { readDays, readRooms } from '#web/data/finding/availability.ts';
import { pollWhile, useLive } from '#web/data/live.ts';
import { getOpenHolds, useOwnBookings } from '#web/data/bookings/own-bookings.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import type { Days, Taken } from '#web/data/finding/taken.ts';
import { daysToRead } from './selection.ts';

const POLL_MS = 5_000;

/** The taken hours of a room on some days, as they were read. */
type DayOfRoom = Days & { readonly studioId: string; readonly taken: readonly Taken[]; readonly checkedAt: Date };

export type Hours = {
  /** The taken spans; undefined until they are known for the chosen day. */
  readonly taken: readonly Taken[] | undefined;
  /** When the spans were read; undefined if `taken` is. */
  readonly checkedAt: Date | undefined;
  /** The last request failed, so `taken` is missing or may be out of date. */
  readonly unsure: boolean;
  readonly failed: boolean;
  /** Changes by other customers show at once. */
  readonly live: boolean;
  readonly refetch: () => void;
};

/**
 * Reads the taken hours whenever a customer books or releases hours, when the page gets the focus again, and every few seconds without a
 * live connection. `paused`: true while the browser leaves for the payment.
 */
export function useAvailability(ask: {
  studios: readonly { readonly id: string }[] | undefined;
  studioId: string | null;
  userId: string | null;
  ready: boolean;
  slots: readonly Slot[];
  date: StudioDate;
  paused: boolean;
}): Hours {
  const { studioId, userId, date } = ask;
  const days = daysToRead(ask.slots, date);
  useHoursAhead(studioId === null && ask.ready ? (ask.studios ?? []) : [], userId, date);
  const listens = studioId !== null && ask.ready && !ask.paused;
  const live = useLive(listens ? `studio:${studioId}` : null, queryKeys.availability.all);
  const answer = useQuery({
    queryKey: queryKeys.availability.of('grid', studioId, userId, days.from, days.to),
    queryFn:
      studioId === null
        ? skipToken
        : async (): Promise<DayOfRoom> => {
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
  // Data for other days does not cover this day. A skeleton is better than showing a taken hour as free.
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

/**
 * Reads the hours of all rooms on a day in one request before a room is chosen, so that the grid appears at once after the tap. The chosen
 * room reads its own hours again at once, and that read reports failures.
 */
function useHoursAhead(studios: readonly { readonly id: string }[], userId: string | null, date: StudioDate): void {
  const client = useQueryClient();
  const ids = studios.map(({ id }) => id).join(' ');
  useEffect(() => {
    if (ids === '') return undefined;
    let gone = false;
    const days = daysToRead([], date);
    const rooms = ids.split(' ');
    readRooms(rooms, days, userId).then(
      (taken) => {
        for (const studioId of gone ? [] : rooms)
          client.setQueryData<DayOfRoom>(
            queryKeys.availability.of('grid', studioId, userId, days.from, days.to),
            (existing) => existing ?? { studioId, ...days, taken: taken.get(studioId) ?? [], checkedAt: new Date() },
          );
      },
      () => null,
    );
    return () => {
      gone = true;
    };
  }, [client, ids, userId, date]);
}

/** Queries the customer's unpaid holds; `loaded` is true once the server has answered. */
export function useOpenHolds(userId: string | null, now: Date) {
  const bookings = useOwnBookings(userId);
  return {
    holds: getOpenHolds(bookings.data ?? [], now),
    loaded: userId === null || !bookings.isPending,
    refetch: () => void bookings.refetch(),
  };
}
