import type { StudioHours } from '#rules/nearest-free.ts';
import { type Slot, sortSlots } from '#rules/slots.ts';
import { addDays, type StudioDate } from '#rules/studio-time.ts';
import type { LostSelection } from '#web/data/drafts/lost-hours.ts';
import type { PendingSelection } from '#web/lib/drafts.ts';

/** Hours that were just removed. Undo restores them. */
export type RemovedHours = { readonly studioId: string; readonly date: StudioDate; readonly slots: readonly Slot[] };

/** The selection on the booking page. */
export type ChoiceState = {
  readonly studioId: string | null;
  readonly date: StudioDate;
  readonly slots: readonly Slot[];
  /** An earlier selection whose hours have not been checked yet: whether to announce it, and whether it came from a link. */
  readonly restoring: 'no' | 'silent' | 'announced' | 'linked';
  /** Book Now was pressed before signing in. It continues once these hours are checked. */
  readonly bookNowWaits: boolean;
  /** The selection that lost hours to other customers or the clock. Kept until the next choice. */
  readonly lost: LostSelection | null;
  /** The hour to focus after crossing midnight or signing in. */
  readonly arrival: Slot | null;
  readonly removed: RemovedHours | null;
};

/** Returns a state in which only the day is chosen. */
export function firstChoice(today: StudioDate): ChoiceState {
  return {
    studioId: null,
    date: today,
    slots: [],
    restoring: 'no',
    bookNowWaits: false,
    lost: null,
    arrival: null,
    removed: null,
  };
}

/** Selects exactly these hours. */
export function select(state: ChoiceState, slots: readonly Slot[]): ChoiceState {
  return { ...state, slots, bookNowWaits: false, lost: null, removed: null };
}

/** Clears the selection. Undo can restore it. */
export function clear(state: ChoiceState): ChoiceState {
  const { studioId, slots, date } = state;
  const removed =
    studioId === null || slots.length === 0 ? null : { studioId, date: sortSlots(slots)[0]?.date ?? date, slots };
  return { ...select(state, []), removed };
}

/** Restores hours that were removed. */
export function undo(state: ChoiceState, { studioId, date, slots }: RemovedHours): ChoiceState {
  return { ...select(state, slots), studioId, date };
}

/** Selects hours in a room and drops the previous selection. */
export function startIn(state: ChoiceState, studioId: string, slots: readonly Slot[]): ChoiceState {
  return { ...select(state, slots), studioId };
}

/** Chooses a studio. Choosing another one clears the selection. */
export function chooseStudio(state: ChoiceState, studioId: string): ChoiceState {
  return { ...(studioId === state.studioId ? state : clear(state)), studioId };
}

/** Shows a day. A selection that does not touch the day is cleared, because it would be invisible. */
export function chooseDay(state: ChoiceState, date: StudioDate): ChoiceState {
  const { slots } = state;
  const touches = slots.some((slot) => slot.date === date || addDays(slot.date, 1) === date);
  return { ...(slots.length > 0 && !touches ? clear(state) : state), date };
}

/** Shows the day of an hour and focuses the hour. */
export function goTo(state: ChoiceState, slot: Slot): ChoiceState {
  return { ...state, date: slot.date, arrival: slot };
}

/** Adopts an earlier selection. Its hours are checked as soon as the taken hours are known. */
export function restoreSelection(
  state: ChoiceState,
  found: PendingSelection & { readonly announce: boolean; readonly linked?: boolean },
): ChoiceState {
  const [first] = found.slots;
  if (first === undefined) return found.announce ? state : { ...state, studioId: found.studioId };
  return {
    ...state,
    studioId: found.studioId,
    date: first.date,
    slots: found.slots,
    restoring: found.announce ? 'announced' : found.linked === true ? 'linked' : 'silent',
    bookNowWaits: found.announce && found.bookNow === true,
  };
}

/** Selects hours that were offered in place of lost ones, shows their day and focuses the first hour. */
export function takeOffer(state: ChoiceState, { studioId, slots }: StudioHours): ChoiceState {
  const [first] = sortSlots(slots);
  return first ? { ...goTo(select(state, slots), first), studioId } : state;
}

/**
 * Ends the restoring: keeps the hours that are still free, and focuses them if the selection is announced or came from a link. `lost`: the
 * selection that lost hours, or null.
 */
export function settle(state: ChoiceState, kept: readonly Slot[], lost: LostSelection | null): ChoiceState {
  const focuses = state.restoring === 'announced' || state.restoring === 'linked';
  return {
    ...state,
    ...(lost === null ? {} : { slots: kept, lost, bookNowWaits: false }),
    ...(focuses ? { arrival: sortSlots(kept)[0] ?? null } : {}),
    restoring: 'no',
  };
}

/** Ends the restoring. A studio that does not exist is deselected. */
export function endRestoring(state: ChoiceState, studioExists: boolean): ChoiceState {
  return { ...state, restoring: 'no', bookNowWaits: false, ...(studioExists ? {} : { studioId: null, slots: [] }) };
}
