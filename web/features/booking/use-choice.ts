import { useEffect, useEffectEvent, useState } from 'react';
import type { StudioHours } from '#rules/nearest-free.ts';
import { type Slot, toggleSlot, whyNotAdd } from '#rules/slots.ts';
import { type StudioDate, studioDate } from '#rules/studio-time.ts';
import { constants } from '#rules/venue.ts';
import type { PricedStudio } from '#web/data/drafts/booking-draft.ts';
import { describeLost, dropLost, type LostSelection } from '#web/data/drafts/lost-hours.ts';
import { useBusiness } from '#web/lib/business/business.ts';
import { drafts } from '#web/lib/drafts.ts';
import { toast } from '#web/ui/toast.tsx';
import * as choices from './choice-state.ts';
import { extendSelection } from './selection.ts';
import { type Hours, useAvailability } from './use-availability.ts';
import { useRestored } from './use-restored.ts';

const WHY: Readonly<Record<string, string>> = {
  'too-long': `A session can be up to ${constants.maxHours} hours long.`,
  'too-far': 'A session can’t run past the next day.',
  closed: 'You can’t book this hour.',
};
const NO_STUDIO = 'Selected studio not found.';
const NOT_FREE = 'Those hours aren’t free';
const ALL_LOST = 'Your hours are gone';
const SOME_LOST = 'Some of your hours are gone';
const RESTORE_FAILED = 'Failed to restore selections. Please try again.';

export type Choice = ReturnType<typeof useChoice>;
type Options = {
  readonly status: 'loading' | 'in' | 'out';
  readonly userId: string | null;
  readonly studios: readonly PricedStudio[] | undefined;
  readonly now: Date;
  readonly paused: boolean;
};

/**
 * Holds the state of the booking page: the chosen room, day and hours, hours lost to other customers or the clock, and hours that were just
 * removed.
 */
export function useChoice(options: Options) {
  const { status, userId, studios, now, paused } = options;
  const today = studioDate(now);
  const [state, change] = useState(() => choices.firstChoice(today));
  const { studioId, slots, date } = state;
  const hours = useAvailability({ studios, studioId, userId, ready: status !== 'loading', slots, date, paused });
  const studio = studios?.find((studio) => studio.id === studioId) ?? null;
  useRestored(
    status,
    (found) => change((before) => choices.restoreSelection(before, found)),
    () => toast({ title: RESTORE_FAILED, tone: 'bad' }),
  );
  useEffect(() => {
    if (studioId !== null) drafts.saveChoice({ studioId, slots });
  }, [studioId, slots]);
  useLosses({ state, change, hours, options, unknownStudio: studios !== undefined && studioId !== null && !studio });

  /** Adds or removes an hour. `shown`: the selection on the page, which is newer than the state while a press is still being handled. */
  function toggle(slot: Slot, shown = slots): void {
    const why = whyNotAdd(shown, slot);
    if (why === 'not-consecutive') return startOver(slot, shown);
    if (why) return toast({ title: WHY[why] ?? 'You can’t add this hour.', tone: 'warn' });
    return change((before) => choices.select(before, toggleSlot(before.slots, slot)));
  }
  /** Starts a new selection with an hour that is not adjacent. The toast can restore the earlier selection. */
  function startOver(slot: Slot, shown: readonly Slot[]): void {
    const earlier = { studioId: studioId ?? '', date, slots: shown };
    change((before) => choices.select(before, [slot]));
    toast({
      title: 'New selection',
      description: 'Your hours have to be back to back, so we started a new selection.',
      tone: 'warn',
      action: { label: 'Undo', onPress: () => change((before) => choices.undo(before, earlier)) },
    });
  }
  /** Starts a new selection in another room. The toast can restore the earlier selection. */
  function startIn(id: string, chosen: readonly Slot[]): void {
    const earlier = { studioId: studioId ?? '', date, slots };
    change((before) => choices.startIn(before, id, chosen));
    if (slots.length === 0) return;
    toast({
      title: 'New selection',
      description: 'A booking is for one room, so we started a new selection.',
      tone: 'warn',
      action: { label: 'Undo', onPress: () => change((before) => choices.undo(before, earlier)) },
    });
  }
  return {
    ...state,
    /** Book Now was pressed before signing in, and the hours have been checked. */
    bookNowWaits: state.bookNowWaits && state.restoring === 'no',
    endBookNowWait: () => change((before) => ({ ...before, bookNowWaits: false })),
    studio,
    today,
    hours,
    toggle,
    /** Presses an hour in any room. */
    toggleIn: (id: string, slot: Slot) => (id === studioId ? toggle(slot) : startIn(id, [slot])),
    reachIn(id: string, from: Slot, to: Slot, isFree: (slot: Slot) => boolean): void {
      if (id === studioId) return this.reach(from, to, isFree, slots);
      const reached = extendSelection([], from, to, isFree);
      return reached.length === 0 ? undefined : startIn(id, reached);
    },
    goTo: (slot: Slot) => change((before) => choices.goTo(before, slot)),
    reach(from: Slot, to: Slot, isFree: (slot: Slot) => boolean, shown: readonly Slot[]): void {
      const next = extendSelection(shown, from, to, isFree);
      if (next.length === shown.length && shown.length > 0 && isFree(to)) return toggle(to, shown);
      return change((before) => choices.select(before, next));
    },
    chooseStudio: (id: string) => change((before) => choices.chooseStudio(before, id)),
    chooseDay: (day: StudioDate) => change((before) => choices.chooseDay(before, day)),
    clear(): void {
      change(choices.clear);
      drafts.removeBooking();
    },
    take: (offer: StudioHours) => change((before) => choices.takeOffer(before, offer)),
    restore: (removed: choices.RemovedHours) => change((before) => choices.undo(before, removed)),
  };
}

/** Removes hours that other customers have booked or that have passed, and explains this in a note that stays on the page. */
function useLosses(watched: {
  state: choices.ChoiceState;
  change: (next: choices.ChoiceState | ((before: choices.ChoiceState) => choices.ChoiceState)) => void;
  hours: Hours;
  options: Options;
  unknownStudio: boolean;
}): void {
  const { state, change, hours, unknownStudio } = watched;
  const { now, paused } = watched.options;
  const { studioId, slots, restoring } = state;
  const { taken } = hours;
  const { horizonDays } = useBusiness();
  const missed = hours.failed || unknownStudio;
  const check = useEffectEvent(() => {
    if (restoring !== 'no' && missed) {
      toast({ title: unknownStudio ? NO_STUDIO : RESTORE_FAILED, tone: 'bad' });
      return change(choices.endRestoring(state, !unknownStudio));
    }
    if (taken === undefined || slots.length === 0 || paused) return undefined;
    const linked = restoring === 'linked';
    const { kept, lost } = dropLost(slots, taken, new Date(), horizonDays);
    const note = lost.length === 0 ? null : describeLost(lost, kept.length, linked);
    const title = linked ? NOT_FREE : kept.length > 0 ? SOME_LOST : ALL_LOST;
    if (restoring === 'announced') announceRestored(note);
    else if (note !== null) toast({ title, description: note, tone: 'warn' });
    // A press that is still being handled changes the hours. Then this effect runs again for the new hours.
    const settle = (gone: LostSelection | null): void =>
      change((before) => (before.slots === slots ? choices.settle(before, kept, gone) : before));
    if (note === null || studioId === null) return restoring === 'no' ? undefined : settle(null);
    return settle({ studioId, slots, note, at: new Date(), linked });
  });
  // The clock and other customers are external systems: hours lost to them must stay removed, so they cannot be derived.
  // oxlint-disable-next-line react/set-state-in-effect
  useEffect(() => check(), [taken, slots, now, paused, restoring, missed]);
}

function announceRestored(note: string | null): void {
  toast({
    title: 'Selections Restored',
    description: note ?? 'Your hours are back.',
    tone: note === null ? 'good' : 'warn',
  });
}
