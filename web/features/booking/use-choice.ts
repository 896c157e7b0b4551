import { useEffect, useEffectEvent, useState } from 'react';
import { type Slot, sortSlots, toggleSlot, whyNotAdd } from '#rules/slots.ts';
import { addDays, type StudioDate, studioDate } from '#rules/studio-time.ts';
import { settings } from '#rules/venue.ts';
import { drafts } from '#web/lib/drafts.ts';
import { toast } from '#web/ui/toast.tsx';
import type { Studio } from './queries.ts';
import { describeLost, dropLost, reachTo } from './selection.ts';
import { useAvailability } from './use-availability.ts';
import { useRestored } from './use-restored.ts';

const WHY: Readonly<Record<string, string>> = {
  'not-consecutive': 'Your hours have to be back to back. Clear your selection to start somewhere else.',
  'too-long': `A session can be up to ${settings.maxHours} hours long.`,
  'too-far': 'A session can’t run past the next day.',
  closed: 'You can’t book this hour.',
};
const NO_STUDIO = 'Selected studio not found.';
const RESTORE_FAILED = 'Failed to restore selections. Please try again.';

/** Hours removed at once that Undo restores. */
export type RemovedHours = { readonly studioId: string; readonly date: StudioDate; readonly slots: readonly Slot[] };

/** State of the booking page: chosen room, day and hours, hours lost to others or the clock, and hours just removed. */
export function useChoice(options: {
  status: 'loading' | 'in' | 'out';
  userId: string | null;
  studios: readonly Studio[] | undefined;
  now: Date;
  paused: boolean;
}) {
  const { status, userId, studios, now, paused } = options;
  const today = studioDate(now);
  const [studioId, setStudioId] = useState<string | null>(null);
  const [date, setDate] = useState<StudioDate>(today);
  const [slots, setSlots] = useState<readonly Slot[]>([]);
  const [restoring, setRestoring] = useState<'no' | 'quietly' | 'telling'>('no');
  const [lostNote, setLostNote] = useState<string | null>(null);
  /** Hour to focus after crossing midnight. */
  const [arrival, setArrival] = useState<Slot | null>(null);
  const [removed, setRemoved] = useState<RemovedHours | null>(null);
  const hours = useAvailability({ studioId, userId, ready: status !== 'loading', slots, date, paused });
  const { taken } = hours;
  const studio = studios?.find((one) => one.id === studioId) ?? null;

  useRestored(status, (found) => {
    if (found.slots.length === 0 && found.tell) return;
    setStudioId(found.studioId);
    if (found.slots.length === 0) return;
    setDate(found.slots[0]?.date ?? today);
    setSlots(found.slots);
    setRestoring(found.tell ? 'telling' : 'quietly');
  });

  useEffect(() => {
    if (studioId !== null) drafts.keepChoice({ studioId, slots });
  }, [studioId, slots]);

  const unknownStudio = studios !== undefined && studioId !== null && studio === null;
  const missed = hours.failed || unknownStudio;
  function giveUpRestoring(): void {
    toast({ title: unknownStudio ? NO_STUDIO : RESTORE_FAILED, tone: 'bad' });
    setRestoring('no');
    if (!unknownStudio) return;
    setStudioId(null);
    setSlots([]);
  }
  // Removes hours that others booked or that have passed, and says so in a note that stays on the page.
  const settle = useEffectEvent(() => {
    if (restoring !== 'no' && missed) return giveUpRestoring();
    if (taken === undefined || slots.length === 0 || paused) return undefined;
    const { kept, lost } = dropLost(slots, taken, new Date());
    const note = lost.length === 0 ? null : describeLost(lost, kept.length);
    if (note !== null) {
      setSlots(kept);
      setLostNote(note);
    }
    if (restoring === 'telling') {
      toast({
        title: 'Selections Restored',
        description: note ?? 'Your hours are back.',
        tone: note === null ? 'good' : 'warn',
      });
      // Back from signing in: focus the hours, which also brings Book Now into view.
      setArrival(sortSlots(kept)[0] ?? null);
    }
    return setRestoring('no');
  });
  // The clock and other customers are external systems: hours lost to them must stay removed, so they cannot be derived.
  // oxlint-disable-next-line react/set-state-in-effect
  useEffect(() => settle(), [taken, slots, now, paused, restoring, missed]);

  function select(next: readonly Slot[]): void {
    setSlots(next);
    setLostNote(null);
    setRemoved(null);
  }
  function drop(): void {
    select([]);
    if (studioId !== null && slots.length > 0) setRemoved({ studioId, date: sortSlots(slots)[0]?.date ?? date, slots });
  }
  function toggle(slot: Slot): void {
    const why = whyNotAdd(slots, slot);
    if (why) return toast({ title: WHY[why] ?? 'You can’t add this hour.', tone: 'warn' });
    return select(toggleSlot(slots, slot));
  }

  return {
    studio,
    studioId,
    today,
    date,
    slots,
    hours,
    lostNote,
    removed,
    arrival,
    goTo(slot: Slot): void {
      setDate(slot.date);
      setArrival(slot);
    },
    toggle,
    reach(from: Slot, to: Slot, isFree: (slot: Slot) => boolean): void {
      const next = reachTo(slots, from, to, isFree);
      if (next.length === slots.length && slots.length > 0 && isFree(to)) return toggle(to);
      return select(next);
    },
    chooseStudio(id: string): void {
      if (id !== studioId) drop();
      setStudioId(id);
    },
    chooseDay(day: StudioDate): void {
      setDate(day);
      // A selection that does not touch the chosen day would be invisible, so clear it.
      if (slots.length > 0 && !slots.some((slot) => slot.date === day || addDays(slot.date, 1) === day)) drop();
    },
    clear(): void {
      drop();
      drafts.dropBooking();
    },
    restore(undone: RemovedHours): void {
      setStudioId(undone.studioId);
      setDate(undone.date);
      select(undone.slots);
    },
  };
}
