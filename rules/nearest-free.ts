import { type Busy, nextSlot, type Slot, slotClosed, slotTaken, sortSlots } from './slots.ts';
import { addDays, slotStart } from './studio-time.ts';
import { constants } from './venue.ts';

/** Consecutive hours of a studio. */
export type StudioHours = { readonly studioId: string; readonly slots: readonly Slot[] };
/** A studio with the spans that cannot be booked. */
export type BusyStudio = { readonly studioId: string; readonly busy: readonly Busy[] };

/** How far the start of an alternative may be from the requested start. */
const WITHIN_MS = 24 * 3_600_000;
/** How many alternatives in other studios are offered. */
const OTHER_STUDIOS = 2;

type Candidate = { readonly slots: readonly Slot[]; readonly startsAt: number };

/**
 * Finds free alternatives to the requested hours: the same number of hours, with a start at most a day away. First come the nearest earlier
 * and the nearest later hours in the same studio, nearest first; then the nearest hours in each of the other studios, nearest first. If two
 * starts are equally near, the earlier comes first. Empty if no hours, or too many, were requested.
 */
export function nearestFree(
  requested: StudioHours,
  studios: readonly BusyStudio[],
  now: Date,
  horizonDays: number,
): StudioHours[] {
  const count = requested.slots.length;
  const [first] = sortSlots(requested.slots);
  const start = first && slotStart(first.date, first.hour)?.getTime();
  if (first === undefined || start === undefined || count > constants.maxHours) return [];
  const calendar = slotsAround(first);
  const findCandidates = ({ busy }: BusyStudio): Candidate[] =>
    findRuns(calendar, count, (slot) => isBookable(slot, busy, now, horizonDays)).filter(
      ({ startsAt }) => Math.abs(startsAt - start) <= WITHIN_MS,
    );
  const nearest = byDistance(start);
  const here = studios.filter(({ studioId }) => studioId === requested.studioId).flatMap(findCandidates);
  const earlier = here.filter(({ startsAt }) => startsAt < start).toSorted(nearest)[0];
  const later = here.filter(({ startsAt }) => startsAt >= start).toSorted(nearest)[0];
  const elsewhere = studios
    .filter(({ studioId }) => studioId !== requested.studioId)
    .flatMap((studio) => {
      const best = findCandidates(studio).toSorted(nearest)[0];
      return best ? [{ ...best, studioId: studio.studioId }] : [];
    })
    .toSorted(nearest);
  return [
    ...[earlier, later]
      .filter((candidate) => candidate !== undefined)
      .toSorted(nearest)
      .map(({ slots }) => ({ studioId: requested.studioId, slots })),
    ...elsewhere.slice(0, OTHER_STUDIOS).map(({ studioId, slots }) => ({ studioId, slots })),
  ];
}

/** Whether all these hours can be booked. */
export function areFree(slots: readonly Slot[], busy: readonly Busy[], now: Date, horizonDays: number): boolean {
  return slots.every((slot) => isBookable(slot, busy, now, horizonDays));
}

/** Whether an hour can be booked: it exists, is neither past nor beyond the horizon, and is not taken. */
export function isBookable(slot: Slot, busy: readonly Busy[], now: Date, horizonDays: number): boolean {
  return slotClosed(slot, now, horizonDays) === null && !slotTaken(slot, busy);
}

/**
 * Lists the existing hours from the day before to the third day after, in order. The longest alternative starts a day later and ends the
 * day after that.
 */
function slotsAround({ date }: Slot): Slot[] {
  const slots: Slot[] = [];
  const last = addDays(date, 3);
  for (let slot: Slot = { date: addDays(date, -1), hour: 0 }; slot.date <= last; slot = nextSlot(slot))
    slots.push(slot);
  return slots;
}

/** Lists all runs of `count` free hours that end on the day they begin or on the next day. */
function findRuns(calendar: readonly Slot[], count: number, isFree: (slot: Slot) => boolean): Candidate[] {
  const free = calendar.map(isFree);
  return calendar.flatMap((slot, index) => {
    const slots = calendar.slice(index, index + count);
    const last = slots.at(-1);
    if (slots.length < count || last === undefined || last.date > addDays(slot.date, 1)) return [];
    if (!free.slice(index, index + count).every(Boolean)) return [];
    return [{ slots, startsAt: slotStart(slot.date, slot.hour)?.getTime() ?? 0 }];
  });
}

/** Compares candidates by their distance from an instant. If two are equally near, the earlier comes first. */
const byDistance =
  (start: number) =>
  (candidate: Candidate, other: Candidate): number =>
    Math.abs(candidate.startsAt - start) - Math.abs(other.startsAt - start) || candidate.startsAt - other.startsAt;
