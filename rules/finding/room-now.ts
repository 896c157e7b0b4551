import { isBookable } from '../nearest-free.ts';
import { type Busy, nextSlot, type Slot } from '../slots.ts';
import { slotStart, studioDate, studioHour } from '../studio-time.ts';

/**
 * What a room offers now. `free`: it can be booked from this hour on, until the next booking (null: for at least a day). `later`: the room
 * is empty, but too much of this hour has passed to book it. `busy`: it is booked until then (null: for at least a day).
 */
export type RoomNow =
  | { readonly state: 'free'; readonly until: Date | null }
  | { readonly state: 'later'; readonly from: Date }
  | { readonly state: 'busy'; readonly until: Date | null };

/** How many hours to look ahead, and the number of further days that these hours can touch. */
const AHEAD = 24;
const AHEAD_DAYS = 2;

/** Describes the state of a room now. `busy`: its bookings from now until the same time tomorrow. */
export function describeRoom(busy: readonly Busy[], now: Date): RoomNow {
  const slots = nextSlots({ date: studioDate(now), hour: studioHour(now) });
  const isFree = (slot: Slot): boolean => isBookable(slot, busy, now, AHEAD_DAYS);
  const [current] = slots;
  if (current && isFree(current)) return { state: 'free', until: getStart(slots.find((slot) => !isFree(slot))) };
  const from = getStart(slots.find(isFree));
  const occupied = busy.some(({ start, end }) => start <= now && end > now);
  return from === null || occupied ? { state: 'busy', until: from } : { state: 'later', from };
}

function nextSlots(first: Slot): Slot[] {
  const slots = [first];
  for (let slot = nextSlot(first); slots.length < AHEAD; slot = nextSlot(slot)) slots.push(slot);
  return slots;
}

const getStart = (slot: Slot | undefined): Date | null => (slot ? slotStart(slot.date, slot.hour) : null);
