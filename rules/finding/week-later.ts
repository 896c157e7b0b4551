import { type Busy, nextSlot, type Slot, slotTaken } from '../slots.ts';
import { addDays, studioDate } from '../studio-time.ts';
import { runFrom } from './booking-link.ts';

/**
 * Returns the same hours of the clock a week later. Skips weeks until the hours are on a later day than today and overlap none of the
 * customer's own bookings in that room (`own`).
 */
export function weekLater(slots: readonly Slot[], now: Date, own: readonly Busy[] = []): readonly Slot[] {
  const [first] = slots;
  if (first === undefined) return [];
  const today = studioDate(now);
  for (let date = addDays(first.date, 7); ; date = addDays(date, 7)) {
    if (date <= today) continue;
    // If the clocks skip the first hour in October, the next existing hour takes its place.
    const start = nextSlot({ date: first.hour === 0 ? addDays(date, -1) : date, hour: (first.hour + 23) % 24 });
    const later = runFrom(start, slots.length);
    if (!later.some((slot) => slotTaken(slot, own))) return later;
  }
}
