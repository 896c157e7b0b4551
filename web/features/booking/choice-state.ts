import type { StudioHours } from '#rules/nearest-free.ts';
import { type Slot, sortSlots } from '#rules/slots.ts';
import { addDays, type StudioDate } from '#rules/studio-time.ts';
import type { LostSelection } from '#web/data/drafts/lost-hours.ts';
import type { PendingSelection } from '#web/lib/drafts.ts';

/** Hours removed at once that Undo restores. */
export type RemovedHours = { readonly studioId: string; readonly date: StudioDate; readonly slots: readonly Slot[] };

/** What is chosen on the booking page. */
export type ChoiceState = {
  readonly studioId: string | null;
  readonly date: StudioDate;
  readonly slots: readonly Slot[];
  /** An earlier selection whose hours are still to be checked, whether to announce it, and whether a link asked for it. */
  readonly restoring: 'no' | 'silent' | 'announced' | 'linked';
  /** Book Now was pressed before signing in, and continues once these hours are checked. */
  readonly bookNowWaits: boolean;
  /** The selection that lost hours to others or the clock, until the next choice. */
  readonly lost: LostSelection | null;
  /** Hour to focus after crossing midnight or signing in. */
  readonly arrival: Slot | null;
  readonly removed: RemovedHours | null;
};

/** Nothing is chosen but the day. */
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

/** Clears the selection; Undo can restore it. */
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

/** Selects hours in a room, instead of all that was selected. */
export function startIn(state: ChoiceState, studioId: string, slots: readonly Slot[]): ChoiceState {
  return { ...select(state, slots), studioId };
}

/** Chooses a studio; another one clears the selection. */
export function chooseStudio(state: ChoiceState, studioId: string): ChoiceState {
  return { ...(studioId === state.studioId ? state : clear(state)), studioId };
}

/** Shows a day. A selection that does not touch it would be invisible, so it is cleared. */
export function chooseDay(state: ChoiceState, date: StudioDate): ChoiceState {
  const { slots } = state;
  const touches = slots.some((slot) => slot.date === date || addDays(slot.date, 1) === date);
  return { ...(slots.length > 0 && !touches ? clear(state) : state), date };
}

/** Shows the day of an hour and focuses the hour. */
export function goTo(state: ChoiceState, slot: Slot): ChoiceState {
  return { ...state, date: slot.date, arrival: slot };
}

/** Takes over an earlier selection; its hours are checked once they are known. */
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

/** Selects hours that were offered instead of lost ones, shows their day and focuses the first. */
export function takeOffer(state: ChoiceState, { studioId, slots }: StudioHours): ChoiceState {
  const [first] = sortSlots(slots);
  return first ? { ...goTo(select(state, slots), first), studioId } : state;
}

/** Ends the restoring: keeps what is still free, and focuses it when it is announced or a link asked for it. `lost`: the selection that lost hours, if it did. */
export function settle(state: ChoiceState, kept: readonly Slot[], lost: LostSelection | null): ChoiceState {
  const focuses = state.restoring === 'announced' || state.restoring === 'linked';
  return {
    ...state,
    ...(lost === null ? {} : { slots: kept, lost, bookNowWaits: false }),
    ...(focuses ? { arrival: sortSlots(kept)[0] ?? null } : {}),
    restoring: 'no',
  };
}

/** Ends restoring; a studio that does not exist is no longer chosen. */
export function endRestoring(state: ChoiceState, studioExists: boolean): ChoiceState {
  return { ...state, restoring: 'no', bookNowWaits: false, ...(studioExists ? {} : { studioId: null, slots: [] }) };
}
