import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { nextSlot, sameSlot, type Slot, slotClosed, slotsOfSpan, slotTaken, toSpan } from '#rules/slots.ts';
import { addDays, hourExists, type StudioDate } from '#rules/studio-time.ts';
import { readDays } from '#web/data/finding/availability.ts';
import { pollWhile, useLive } from '#web/data/live.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import type { Taken } from '#web/data/finding/taken.ts';
import type { BookingPage } from './queries.ts';

const POLL_MS = 10_000;

/** Queries the taken hours of a room on a day and the next day, and follows them. */
export function useTaken(studioId: string, date: StudioDate, userId: string) {
  const live = useLive(`studio:${studioId}`, queryKeys.availability.all);
  const to = addDays(date, 1);
  return useQuery({
    queryKey: queryKeys.availability.of('move', studioId, userId, date, to),
    queryFn: async () => {
      const taken = await readDays(studioId, { from: date, to }, userId);
      return { studioId, date, taken: taken.get(studioId) ?? [] };
    },
    refetchInterval: pollWhile(live, POLL_MS),
    placeholderData: keepPreviousData,
  });
}

/** A possible start of a booking, with all hours from there. */
export type Start = {
  readonly hour: number;
  readonly slots: readonly Slot[];
  readonly free: boolean;
  readonly now: boolean;
};

/** Lists the starts of a day: whether all hours from there are free for this booking, and which start is its current one. */
export function listStarts(
  booking: BookingPage,
  at: { studioId: string; date: StudioDate; hours: number },
  { taken, now, horizonDays }: { taken: readonly Taken[]; now: Date; horizonDays: number },
): Start[] {
  const others = taken.filter((span) => !isOwn(booking, at.studioId, span));
  const own = at.studioId === booking.studioId ? (slotsOfSpan(booking.startTime, booking.endTime) ?? []) : [];
  return Array.from({ length: 24 }, (_, hour) => hour)
    .filter((hour) => hourExists(at.date, hour))
    .map((hour) => {
      const slots = runFrom({ date: at.date, hour }, at.hours);
      const isNow = own.length === slots.length && slots.every((slot, index) => sameSlot(slot, own[index] ?? slot));
      const free = slots.every(
        (slot) =>
          !slotTaken(slot, others) &&
          (own.some((ownSlot) => sameSlot(ownSlot, slot)) || slotClosed(slot, now, horizonDays) === null),
      );
      return { hour, slots, free: free && !isNow, now: isNow };
    });
}

/** Returns how many hours directly after a booking are free, up to `most`. */
export function freeAfter(booking: BookingPage, taken: readonly Taken[], most: number): number {
  const others = taken.filter((span) => !isOwn(booking, booking.studioId, span));
  const last = slotsOfSpan(booking.startTime, booking.endTime)?.at(-1);
  let free = 0;
  for (let slot = last && nextSlot(last); slot && free < most && !slotTaken(slot, others); slot = nextSlot(slot))
    free += 1;
  return free;
}

/** Returns the end of a booking after adding `more` hours. */
export function endWith(booking: BookingPage, more: number): Date {
  const last = slotsOfSpan(booking.startTime, booking.endTime)?.at(-1);
  if (last === undefined) return booking.endTime;
  return toSpan(runFrom(last, more + 1)).end;
}

/** Whether a taken span is the booking itself, or the hours that are held for its pending move. */
function isOwn({ studioId, startTime, endTime, waiting }: BookingPage, room: string, { start, end }: Taken): boolean {
  const spans = [{ studioId, startTime, endTime }, ...(waiting === null ? [] : [waiting])];
  return spans.some(
    (own) =>
      own.studioId === room && own.startTime.getTime() === start.getTime() && own.endTime.getTime() === end.getTime(),
  );
}

function runFrom(first: Slot, hours: number): Slot[] {
  const slots = [first];
  for (let slot = nextSlot(first); slots.length < hours; slot = nextSlot(slot)) slots.push(slot);
  return slots;
}
