import { nextSlot, sameSlot, type Slot } from '../slots.ts';
import { addDays, daysBetween, hourExists, type StudioDate } from '../studio-time.ts';

/** The fewest and the most bookings of a weekly series. */
export const SERIES_MIN = 2;
export const SERIES_MAX = 8;

/** Returns the dates of a weekly series that begins on `first`. */
export const weeklyDates = (first: StudioDate, weeks: number): StudioDate[] =>
  Array.from({ length: weeks }, (_, week) => addDays(first, week * 7));

/** Whether these dates form a series: two to eight dates, earliest first, each a whole number of weeks after the first. */
export function isSeries(dates: readonly StudioDate[]): boolean {
  const days = dates.map((date) => daysBetween(dates[0] ?? date, date));
  return (
    dates.length >= SERIES_MIN &&
    dates.length <= SERIES_MAX &&
    days.every((day, index) => day % 7 === 0 && (index === 0 || day > (days[index - 1] ?? 0)))
  );
}

/**
 * Returns the same hours of Sydney's clock a number of days later, from the same first to the same last hour. In between, the hour that the
 * clocks skip in October is left out. Null if the clocks skip the first or the last hour.
 */
export function slotsDaysLater(slots: readonly Slot[], days: number): Slot[] | null {
  const [first, last] = [slots[0], slots.at(-1)].map((slot) => slot && { ...slot, date: addDays(slot.date, days) });
  if (!first || !last || !hourExists(first.date, first.hour) || !hourExists(last.date, last.hour)) return null;
  const later = [first];
  for (let slot = first; !sameSlot(slot, last); later.push(slot)) slot = nextSlot(slot);
  return later;
}
