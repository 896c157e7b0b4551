import {
  canAdd,
  longestRun,
  nextSlot,
  sameSlot,
  type Slot,
  slotKey,
  sortSlots,
  toggleSlot,
  whyNotAdd,
} from '#rules/slots.ts';
import { addDays, hourExists, type StudioDate } from '#rules/studio-time.ts';
import { slotState } from '#web/data/finding/slot-state.ts';
import type { Days, Taken } from '#web/data/finding/taken.ts';

/** Returns the selection after a press on an hour that can be booked. An hour that is not adjacent starts a new selection. */
export function afterPress(selection: readonly Slot[], slot: Slot): Slot[] {
  return whyNotAdd(selection, slot) === 'not-consecutive' ? [slot] : toggleSlot(selection, slot);
}

/** Whether a day has no hour left that can be booked. */
export function isFull(date: StudioDate, taken: readonly Taken[], now: Date, horizonDays: number): boolean {
  return Array.from({ length: 24 }, (_, hour) => slotState({ date, hour }, [], taken, now, horizonDays)).every(
    (state) => state !== 'free',
  );
}

/** Returns the days to read: from the first day of the selection, or the chosen day if that is earlier, until the day after the chosen one. */
export function daysToRead(selection: readonly Slot[], date: StudioDate): Days {
  const first = sortSlots(selection)[0]?.date ?? date;
  return { from: first < date ? first : date, to: addDays(date, 1) };
}

/**
 * Extends a selection from one hour to another, also across midnight (Shift with an arrow or a click). Adds hours until one is blocked.
 * Moving back inside the selection removes the hours that are passed.
 */
export function extendSelection(
  selection: readonly Slot[],
  from: Slot,
  to: Slot,
  isOpen: (slot: Slot) => boolean,
): Slot[] {
  const has = (slot: Slot): boolean => selection.some((selected) => sameSlot(selected, slot));
  const path = pathBetween(from, to);
  if (path.length < 2) return sortSlots(selection);
  if (has(from) && has(to))
    return longestRun(selection.filter((selected) => !path.slice(0, -1).some((slot) => sameSlot(slot, selected))));
  let reached: Slot[] = [...selection];
  for (const slot of path) {
    if (has(slot)) continue;
    if (!isOpen(slot) || !canAdd(reached, slot)) break;
    reached = [...reached, slot];
  }
  return sortSlots(reached);
}

/** Returns the existing hours from one slot to another on the same or an adjacent day, in the order in which they are passed. */
function pathBetween(from: Slot, to: Slot): Slot[] {
  if (from.date !== to.date && from.date !== addDays(to.date, 1) && to.date !== addDays(from.date, 1)) return [];
  const [first, last] = sortSlots([from, to]);
  const path: Slot[] = [];
  for (let slot = first; slot && last && slotKey(slot) <= slotKey(last); slot = nextSlot(slot))
    if (hourExists(slot.date, slot.hour)) path.push(slot);
  return slotKey(from) < slotKey(to) ? path : path.toReversed();
}
