import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { Slot } from '#rules/slots.ts';
import type { StudioDate } from '#rules/studio-time.ts';
import { isOpenHold } from '#web/data/own-bookings.ts';
import { readAvailability, readOpenHolds } from './queries.ts';
import { daysToRead, type Taken } from './selection.ts';

const POLL_MS = 5_000;

export type Hours = {
  /** What is gone; undefined until it is known for the day looked at. */
  readonly taken: readonly Taken[] | undefined;
  /** The last question had no answer: `taken` is missing or may be old. */
  readonly unsure: boolean;
  readonly failed: boolean;
  readonly refetch: () => void;
};

/** Which hours are gone, asked again every few seconds and when somebody comes back to the page; `paused` while leaving for payment. */
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
  const answer = useQuery({
    queryKey: ['availability', studioId, userId, days.from, days.to],
    queryFn: async () => ({ studioId, ...(await readAvailability(studioId ?? '', days, userId)) }),
    enabled: studioId !== null && ask.ready,
    // One's own hold appears among the others then: nothing to be told.
    refetchInterval: ask.paused ? false : POLL_MS,
    placeholderData: keepPreviousData,
  });
  const { data } = answer;
  // What was asked of other days says nothing of this one: better a skeleton than an hour shown free that is not.
  const covers = data !== undefined && data.studioId === studioId && data.from <= days.from && data.to >= date;
  return {
    taken: covers ? data.taken : undefined,
    unsure: answer.isError,
    failed: answer.isError,
    refetch: () => void answer.refetch(),
  };
}

/** One's own holds that still wait for their payment, and how to look again; `known` once the server has answered. */
export function useOpenHolds(userId: string | null, now: Date) {
  const holds = useQuery({
    queryKey: ['open-holds', userId],
    queryFn: readOpenHolds,
    enabled: userId !== null,
  });
  return {
    holds: (holds.data ?? []).filter((one) => isOpenHold(one, now)),
    known: userId === null || !holds.isPending,
    refetch: () => void holds.refetch(),
  };
}
