import { hourRateCents, type Rates } from '#rules/pricing.ts';
import { nextSlot, type Slot, slotClosed } from '#rules/slots.ts';
import { addDays, hourExists, studioDate, type StudioDate } from '#rules/studio-time.ts';

/** How many hours of the next morning follow the day, because a night out ends with them. */
const MORNING = 6;

/** Lists the existing hours of a day that have not passed, and the first hours of the next morning. */
export function shownHours(date: StudioDate, now: Date, horizonDays: number): Slot[] {
  const end = { date: addDays(date, 1), hour: MORNING };
  const hours: Slot[] = [];
  for (let slot: Slot = { date, hour: 0 }; slot.date < end.date || slot.hour < end.hour; slot = nextSlot(slot))
    if (hourExists(slot.date, slot.hour) && !isOver(slot, now, horizonDays)) hours.push(slot);
  return hours;
}

const isOver = (slot: Slot, now: Date, horizonDays: number): boolean =>
  slot.date <= studioDate(now) && slotClosed(slot, now, horizonDays) === 'past';

/** Counts the first hours of a day that belong to the night before. A phone folds them. 0 if one of them is selected. */
export function earlyHours(hours: readonly Slot[], date: StudioDate, selection: readonly Slot[]): number {
  const early = (slot: Slot): boolean => slot.date === date && slot.hour < MORNING;
  return selection.some(early) ? 0 : hours.filter(early).length;
}

/** Returns the distinct prices of the hours, lowest first. */
export function priceSteps(hours: readonly Slot[], rooms: readonly { readonly rates: Rates }[]): number[] {
  const all = rooms.flatMap(({ rates }) => hours.map((slot) => hourRateCents(slot, rates)));
  return [...new Set(all)].toSorted((cents, other) => cents - other);
}
