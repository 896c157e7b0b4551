import {
  addDays,
  hourExists,
  slotEnd,
  slotStart,
  studioDate,
  studioHour,
  studioMinute,
  type StudioDate,
} from './studio-time.ts';
import { constants } from './venue.ts';

/** One hour of the grid. The grid has 24 hours for each day, even when the clocks change. */
export type Slot = { readonly date: StudioDate; readonly hour: number };

export type Busy = { readonly start: Date; readonly end: Date };

/** The last minute of an hour in which that hour can still be booked. */
const CURRENT_HOUR_CUTOFF = 30;

/** Formats an hour: "12 AM", "7 PM". */
export function slotLabel(hour: number): string {
  return `${hour % 12 === 0 ? 12 : hour % 12} ${hour % 24 < 12 ? 'AM' : 'PM'}`;
}
/** Formats an hour with its end: "7 PM to 8 PM". */
export function slotRangeLabel(hour: number): string {
  return `${slotLabel(hour)} to ${slotLabel((hour + 1) % 24)}`;
}
/** Returns a unique key that sorts by time: "2026-11-21T19". */
export function slotKey(slot: Slot): string {
  return `${slot.date}T${String(slot.hour).padStart(2, '0')}`;
}
/** Whether two slots are the same hour. */
export function sameSlot(a: Slot, b: Slot): boolean {
  return a.date === b.date && a.hour === b.hour;
}
/** Returns a sorted copy, earliest first. */
export function sortSlots(slots: readonly Slot[]): Slot[] {
  return slots.toSorted((a, b) => slotKey(a).localeCompare(slotKey(b)));
}

/** Returns the next hour that exists: when the clocks go forward in October, 3 AM follows 1 AM. */
export function nextSlot(slot: Slot): Slot {
  let next: Slot = slot;
  do {
    next = next.hour === 23 ? { date: addDays(next.date, 1), hour: 0 } : { date: next.date, hour: next.hour + 1 };
  } while (!hourExists(next.date, next.hour));
  return next;
}
/** Whether one slot directly follows the other, also across midnight and the skipped hour. */
export function adjacent(a: Slot, b: Slot): boolean {
  return sameSlot(nextSlot(a), b) || sameSlot(nextSlot(b), a);
}
function consecutive(sorted: readonly Slot[]): boolean {
  return sorted.every((slot, index) => {
    const before = sorted[index - 1];
    return before === undefined || sameSlot(nextSlot(before), slot);
  });
}

export type AddRefusal = 'not-consecutive' | 'too-long' | 'too-far' | 'closed';
/** Returns why an hour cannot join the selection; null if it can. */
export function whyNotAdd(selection: readonly Slot[], slot: Slot): AddRefusal | null {
  if (!hourExists(slot.date, slot.hour)) return 'closed';
  if (selection.some((selected) => sameSlot(selected, slot))) return null;
  const sorted = sortSlots([...selection, slot]);
  const first = sorted[0] ?? slot;
  const last = sorted.at(-1) ?? slot;
  if (!consecutive(sorted)) return 'not-consecutive';
  if (sorted.length > constants.maxHours) return 'too-long';
  return last.date > addDays(first.date, 1) ? 'too-far' : null;
}
/** Whether an hour can join the selection. `slotTaken` and `slotClosed` check bookings and the clock. */
export function canAdd(selection: readonly Slot[], slot: Slot): boolean {
  return whyNotAdd(selection, slot) === null;
}

/** Finds the longest run of consecutive hours; of equally long ones, the earliest. */
export function longestRun(slots: readonly Slot[]): Slot[] {
  let best: Slot[] = [];
  let run: Slot[] = [];
  for (const slot of sortSlots(slots)) {
    const before = run.at(-1);
    run = before && sameSlot(nextSlot(before), slot) ? [...run, slot] : [slot];
    if (run.length > best.length) best = run;
  }
  return best;
}

/** Adds an hour, or removes it and keeps the longest run. An hour that cannot be added changes nothing. */
export function toggleSlot(selection: readonly Slot[], slot: Slot): Slot[] {
  if (selection.some((selected) => sameSlot(selected, slot)))
    return longestRun(selection.filter((selected) => !sameSlot(selected, slot)));
  return canAdd(selection, slot) ? sortSlots([...selection, slot]) : sortSlots(selection);
}

/** Returns why an hour cannot be booked, apart from other bookings; null if it can. `horizonDays`: how many days ahead hours can be booked. */
export function slotClosed(slot: Slot, now: Date, horizonDays: number): 'past' | 'skipped' | 'beyond-horizon' | null {
  if (!hourExists(slot.date, slot.hour)) return 'skipped';
  const today = studioDate(now);
  if (slot.date > addDays(today, horizonDays)) return 'beyond-horizon';
  if (slot.date < today) return 'past';
  if (slot.date > today) return null;
  const hour = studioHour(now);
  if (slot.hour < hour) return 'past';
  // When 2 AM comes twice in April, one slot covers both: during the second, the slot started an hour ago.
  const start = slotStart(slot.date, slot.hour);
  if (start && now.getTime() - start.getTime() >= 3_600_000) return 'past';
  return slot.hour === hour && studioMinute(now) > CURRENT_HOUR_CUTOFF ? 'past' : null;
}

/** Returns the span from the first slot's start to the last one's end. Slots must be consecutive. Throws RangeError if the list is empty. */
export function toSpan(slots: readonly Slot[]): Busy {
  const sorted = sortSlots(slots);
  const first = sorted[0];
  const last = sorted.at(-1);
  const start = first ? slotStart(first.date, first.hour) : null;
  if (!start || !last) throw new RangeError('a span needs hours that exist');
  return { start, end: slotEnd(last.date, last.hour) };
}

/** Returns the slots of a booking that ends `hours` hours later. Null for a span that is not on the hours of the grid. */
export function slotsWithMore(start: Date, end: Date, hours: number): Slot[] | null {
  const slots = slotsOfSpan(start, end);
  for (let more = 0; slots !== null && more < hours; more += 1) {
    const last = slots.at(-1);
    if (last !== undefined) slots.push(nextSlot(last));
  }
  return slots;
}

/** Returns the slots of a span. Null unless the span starts and ends on hours of the grid. */
export function slotsOfSpan(start: Date, end: Date): Slot[] | null {
  let slot: Slot = { date: studioDate(start), hour: studioHour(start) };
  if (slotStart(slot.date, slot.hour)?.getTime() !== start.getTime()) return null;
  const slots: Slot[] = [];
  while (slots.length <= constants.maxHours + 1) {
    slots.push(slot);
    const over = slotEnd(slot.date, slot.hour).getTime();
    if (over === end.getTime()) return slots;
    if (over > end.getTime()) return null;
    slot = nextSlot(slot);
  }
  return null;
}

/** Whether any of these spans overlaps the hour. */
export function slotTaken(slot: Slot, busy: readonly Busy[]): boolean {
  const start = slotStart(slot.date, slot.hour);
  if (!start) return false;
  const end = slotEnd(slot.date, slot.hour);
  return busy.some((span) => span.start < end && span.end > start);
}
