import {
  canAdd,
  longestRun,
  sameSlot,
  type Slot,
  slotClosed,
  slotTaken,
  sortSlots,
  toggleSlot,
  whyNotAdd,
} from '#rules/slots.ts';
import { addDays, hourExists, type StudioDate } from '#rules/studio-time.ts';
import { blocking, type Days, type Taken } from '#web/data/taken.ts';

export type SlotState =
  | 'free'
  | 'selected'
  | 'taken'
  | 'yours'
  | 'closed'
  | 'paying'
  | 'processing'
  | 'past'
  | 'skipped'
  | 'later';

/** Returns how the grid shows an hour. An hour that cannot be booked is never shown as selected. */
export function slotState(
  slot: Slot,
  selection: readonly Slot[],
  taken: readonly Taken[],
  now: Date,
  horizonDays: number,
): SlotState {
  const closed = slotClosed(slot, now, horizonDays);
  if (closed === 'skipped') return 'skipped';
  if (closed === 'beyond-horizon') return 'later';
  if (closed === 'past') return 'past';
  const inTheWay = blocking(taken);
  const closures = inTheWay.filter((one) => one.status === 'closed');
  if (slotTaken(slot, closures)) return 'closed';
  const paid = inTheWay.filter((one) => one.status !== 'pending');
  if (slotTaken(slot, paid))
    return slotTaken(
      slot,
      paid.filter((one) => one.mine),
    )
      ? 'yours'
      : 'taken';
  if (slotTaken(slot, inTheWay)) {
    const processing = inTheWay.filter((one) => one.processing === true);
    return slotTaken(slot, processing) ? 'processing' : 'paying';
  }
  return selection.some((one) => sameSlot(one, slot)) ? 'selected' : 'free';
}

/** Returns the selection after a press on an hour that can be booked: an hour across a gap starts a new one. */
export function afterPress(selection: readonly Slot[], slot: Slot): Slot[] {
  return whyNotAdd(selection, slot) === 'not-consecutive' ? [slot] : toggleSlot(selection, slot);
}

/** Whether no hour of a day can be booked any more. */
export function isFull(date: StudioDate, taken: readonly Taken[], now: Date, horizonDays: number): boolean {
  return Array.from({ length: 24 }, (_, hour) => slotState({ date, hour }, [], taken, now, horizonDays)).every(
    (state) => state !== 'free',
  );
}

/** Returns the days to read: the chosen one and the next, from the first day of the selection on. */
export function daysToRead(selection: readonly Slot[], date: StudioDate): Days {
  const first = sortSlots(selection)[0]?.date ?? date;
  return { from: first < date ? first : date, to: addDays(date, 1) };
}

/**
 * Extends a selection from one hour of a day to another (Shift with an arrow or a click). Adds hours until one is blocked;
 * moving back inside the selection removes the hours passed.
 */
export function extendSelection(
  selection: readonly Slot[],
  from: Slot,
  to: Slot,
  isOpen: (slot: Slot) => boolean,
): Slot[] {
  const has = (slot: Slot): boolean => selection.some((one) => sameSlot(one, slot));
  const step = Math.sign(to.hour - from.hour);
  if (from.date !== to.date || step === 0) return sortSlots(selection);
  const path = Array.from({ length: Math.abs(to.hour - from.hour) + 1 }, (_, at) => ({
    date: from.date,
    hour: from.hour + at * step,
  }));
  if (has(from) && has(to))
    return longestRun(selection.filter((one) => !path.slice(0, -1).some((slot) => sameSlot(slot, one))));
  let reached: Slot[] = [...selection];
  for (const slot of path) {
    if (has(slot) || !hourExists(slot.date, slot.hour)) continue;
    if (!isOpen(slot) || !canAdd(reached, slot)) break;
    reached = [...reached, slot];
  }
  return sortSlots(reached);
}
