import type { StudioHours } from '#rules/nearest-free.ts';
import { longestRun, sameSlot, type Slot, slotClosed, slotLabel, slotTaken, sortSlots } from '#rules/slots.ts';
import { formatStudioDate } from '#rules/studio-time.ts';
import { listWords } from '#rules/business/words.ts';
import { blocking, type Taken } from '../finding/taken.ts';

/**
 * An hour of a selection that cannot be booked. `own`: the customer has booked it in another tab or on another device. `later`: it is too
 * far ahead. `closed`: it was closed by staff or is outside the opening hours.
 */
type Lost = { readonly slot: Slot; readonly why: 'taken' | 'own' | 'closed' | 'past' | 'later' };
/** The whole selection that lost hours, a sentence about them, and when the loss was noticed. */
export type LostSelection = StudioHours & {
  readonly note: string;
  readonly at: Date;
  /** The hours came from a link, so they were never free for this page. */
  readonly linked?: boolean;
};

/** Removes hours that were booked or have passed. Keeps the longest run of the rest. */
export function dropLost(
  selection: readonly Slot[],
  taken: readonly Taken[],
  now: Date,
  horizonDays: number,
): { kept: Slot[]; lost: Lost[] } {
  const inTheWay = blocking(taken);
  const own = inTheWay.filter((span) => span.mine);
  const closures = inTheWay.filter((span) => span.status === 'closed');
  const lost = sortSlots(selection).flatMap((slot): Lost[] => {
    const why = slotClosed(slot, now, horizonDays);
    if (why !== null) return [{ slot, why: why === 'beyond-horizon' ? 'later' : 'past' }];
    if (!slotTaken(slot, inTheWay)) return [];
    if (slotTaken(slot, closures)) return [{ slot, why: 'closed' }];
    return [{ slot, why: slotTaken(slot, own) ? 'own' : 'taken' }];
  });
  const rest = selection.filter((slot) => !lost.some((entry) => sameSlot(entry.slot, slot)));
  return { kept: longestRun(rest), lost };
}

/** Describes which hours were lost and whether any are left. `linked`: the hours came from a link. */
export function describeLost(lost: readonly Lost[], keptCount: number, linked = false): string {
  const rest = keptCount > 0 ? 'We kept the rest of your selection.' : 'Please choose other hours.';
  return `${nameLost(lost, linked)} ${rest}`;
}

/** Names the lost hours: "Someone else has just booked 7 pm on 21 Nov." For hours from a link: "Someone else has booked …" */
export function nameLost(lost: readonly Lost[], linked = false): string {
  const pick = (why: Lost['why']): Slot[] => lost.filter((entry) => entry.why === why).map((entry) => entry.slot);
  const [taken, own, closed] = [pick('taken'), pick('own'), pick('closed')];
  const [past, later] = [pick('past'), pick('later')];
  const sentences = [
    taken.length > 0 ? `Someone else has ${linked ? '' : 'just '}booked ${nameSlots(taken)}.` : '',
    own.length > 0 ? `You’ve already booked ${nameSlots(own)}.` : '',
    closed.length > 0 ? `The room is closed at ${nameSlots(closed)}.` : '',
    later.length > 0 ? `You can’t book ${nameSlots(later)} yet.` : '',
    past.length > 0 ? `It’s too late to book ${nameSlots(past)}.` : '',
  ];
  return sentences.filter((text) => text !== '').join(' ');
}

/** Formats hours by day: "7 pm and 8 pm on 21 Nov". */
function nameSlots(slots: readonly Slot[]): string {
  const days = [...new Set(slots.map((slot) => slot.date))];
  return listWords(
    days.map((day) => {
      const hours = slots.filter((slot) => slot.date === day).map((slot) => slotLabel(slot.hour).toLowerCase());
      return `${listWords(hours)} on ${formatStudioDate(day, 'short')}`;
    }),
  );
}
