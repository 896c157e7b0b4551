import { weekLater } from '#rules/finding/week-later.ts';
import type { StudioHours } from '#rules/nearest-free.ts';
import { type Busy, sameSlot, type Slot, slotsOfSpan, slotTaken, toSpan } from '#rules/slots.ts';
import type { OwnBooking } from '#web/data/bookings/booking.ts';
import { ownSpans } from '#web/data/bookings/own-bookings.ts';

/** `booked`: the customer has had these hours in an earlier week; otherwise they were only chosen on this device. */
type Favourite = StudioHours & { readonly booked: boolean };

/** The highest number of favourites. */
const MOST = 3;

/**
 * Returns hours that the customer may want again: those last chosen on this device if they are still ahead, otherwise the same time in a
 * later week; then the same time a week after their latest bookings. If the customer has already booked such hours, a later week is offered
 * instead.
 */
export function findFavourites(
  { last, bookings }: { readonly last: StudioHours | null; readonly bookings: readonly OwnBooking[] },
  now: Date,
): readonly Favourite[] {
  const booked = bookings
    .filter(({ status }) => status === 'confirmed')
    .map(({ studioId, startTime, endTime }) => ({
      studioId,
      slots: weekLater(slotsOfSpan(startTime, endTime) ?? [], now, ownSpans(bookings, studioId)),
    }));
  const chosen = last === null ? [] : [{ ...last, slots: stillWanted(last, ownSpans(bookings, last.studioId), now) }];
  const found: Favourite[] = [];
  for (const hours of [...chosen, ...booked]) {
    const favourite = { ...hours, booked: booked.some((other) => isSame(hours, other)) };
    if (favourite.slots.length === 0 || found.some((other) => isSame(favourite, other))) continue;
    found.push(favourite);
    if (found.length === MOST) break;
  }
  return found;
}

function stillWanted({ slots }: StudioHours, own: readonly Busy[], now: Date): readonly Slot[] {
  const isAhead = slots.length > 0 && toSpan(slots).start > now;
  return isAhead && !slots.some((slot) => slotTaken(slot, own)) ? slots : weekLater(slots, now, own);
}

const isSame = (hours: StudioHours, other: StudioHours): boolean =>
  hours.studioId === other.studioId &&
  hours.slots.length === other.slots.length &&
  hours.slots.every((slot, index) => {
    const same = other.slots[index];
    return same !== undefined && sameSlot(slot, same);
  });
