import {
  type Busy,
  canAdd,
  longestRun,
  sameSlot,
  type Slot,
  slotClosed,
  slotLabel,
  slotTaken,
  sortSlots,
} from '#rules/slots.ts';
import { addDays, formatStudioDate, hourExists, type StudioDate } from '#rules/studio-time.ts';

/**
 * A taken span. `mine`: the customer's own booking; the hours of an unpaid hold of one's own can be chosen again, unless its payment is
 * `processing`.
 */
export type Taken = Busy & { readonly status: string; readonly mine: boolean; readonly processing?: boolean };
export type SlotState = 'free' | 'selected' | 'taken' | 'paying' | 'processing' | 'past' | 'skipped' | 'later';
export type Lost = { readonly slot: Slot; readonly why: 'taken' | 'past' };

/** Returns the spans that block a selection: all but the customer's own unpaid holds, which the server reuses. */
const blocking = (taken: readonly Taken[]): Taken[] =>
  taken.filter((one) => !(one.mine && one.status === 'pending' && one.processing !== true));

/** Returns how the grid shows an hour. An hour that cannot be booked is never shown as selected. */
export function slotState(slot: Slot, selection: readonly Slot[], taken: readonly Taken[], now: Date): SlotState {
  const closed = slotClosed(slot, now);
  if (closed === 'skipped') return 'skipped';
  if (closed === 'beyond-horizon') return 'later';
  if (closed === 'past') return 'past';
  const inTheWay = blocking(taken);
  const paid = inTheWay.filter((one) => one.status !== 'pending');
  if (slotTaken(slot, paid)) return 'taken';
  if (slotTaken(slot, inTheWay)) {
    const processing = inTheWay.filter((one) => one.processing === true);
    return slotTaken(slot, processing) ? 'processing' : 'paying';
  }
  return selection.some((one) => sameSlot(one, slot)) ? 'selected' : 'free';
}

/** Whether no hour of a day can be booked any more. */
export function isFull(date: StudioDate, taken: readonly Taken[], now: Date): boolean {
  return Array.from({ length: 24 }, (_, hour) => slotState({ date, hour }, [], taken, now)).every(
    (state) => state !== 'free',
  );
}

/** Removes hours that others booked or that have passed; keeps the longest run of the rest. */
export function dropLost(
  selection: readonly Slot[],
  taken: readonly Taken[],
  now: Date,
): { kept: Slot[]; lost: Lost[] } {
  const inTheWay = blocking(taken);
  const lost = sortSlots(selection).flatMap((slot): Lost[] => {
    if (slotClosed(slot, now) !== null) return [{ slot, why: 'past' }];
    return slotTaken(slot, inTheWay) ? [{ slot, why: 'taken' }] : [];
  });
  const rest = selection.filter((slot) => !lost.some((one) => sameSlot(one.slot, slot)));
  return { kept: longestRun(rest), lost };
}

/** "7 pm and 8 pm on 21 Nov", by day. */
function nameSlots(slots: readonly Slot[]): string {
  const days = [...new Set(slots.map((slot) => slot.date))];
  const list = (words: string[]): string =>
    words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
  return list(
    days.map((day) => {
      const hours = slots.filter((slot) => slot.date === day).map((slot) => slotLabel(slot.hour).toLowerCase());
      return `${list(hours)} on ${formatStudioDate(day, 'short')}`;
    }),
  );
}

/** Describes which hours were lost and whether some are left. */
export function describeLost(lost: readonly Lost[], keptCount: number): string {
  const pick = (why: Lost['why']): Slot[] => lost.filter((one) => one.why === why).map((one) => one.slot);
  const taken = pick('taken');
  const past = pick('past');
  const sentences = [
    taken.length > 0 ? `Someone else has just booked ${nameSlots(taken)}.` : '',
    past.length > 0 ? `It’s too late to book ${nameSlots(past)}.` : '',
    keptCount > 0 ? 'We kept the rest of your selection.' : 'Please choose other hours.',
  ];
  return sentences.filter((text) => text !== '').join(' ');
}

/** Returns the days to read: the chosen one and the next, from the first day of the selection on. */
export function daysToRead(selection: readonly Slot[], date: StudioDate): { from: StudioDate; to: StudioDate } {
  const first = sortSlots(selection)[0]?.date ?? date;
  return { from: first < date ? first : date, to: addDays(date, 1) };
}

/**
 * Extends a selection from one hour of a day to another (Shift with an arrow or a click). Adds hours until one is blocked;
 * moving back inside the selection removes the hours passed.
 */
export function reachTo(selection: readonly Slot[], from: Slot, to: Slot, isOpen: (slot: Slot) => boolean): Slot[] {
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
