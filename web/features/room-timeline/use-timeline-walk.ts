import { type KeyboardEvent, type MouseEvent, type RefObject, useState } from 'react';
import type { Slot } from '#rules/slots.ts';
import { canWait, isOpen } from '#web/data/finding/slot-look.ts';
import type { SlotState } from '#web/data/finding/slot-state.ts';

/** A position in the timeline: the index of the room and the index of the hour. */
export type Place = { readonly room: number; readonly at: number };
export type TimelineActions = {
  readonly onToggle: (room: number, slot: Slot) => void;
  readonly onReach: (room: number, from: Slot, to: Slot, isFree: (slot: Slot) => boolean) => void;
  /** Called when a taken hour is pressed. */
  readonly onTaken: (room: number, slot: Slot) => void;
};

/**
 * Handles keys and presses in the timeline. Arrow keys move by hour and by room, following the layout (`across`: hours from left to right).
 * Home and End move to the first and the last hour. Shift with an arrow or a press extends the selection within the room. `stop`: the only
 * cell in the tab order.
 */
export function useTimelineWalk(
  grid: RefObject<HTMLElement | null>,
  shown: {
    readonly hours: readonly Slot[];
    readonly states: readonly (readonly SlotState[])[];
    readonly across: boolean;
  },
  { onToggle, onReach, onTaken }: TimelineActions,
) {
  const { hours, states, across } = shown;
  const [walked, setWalked] = useState<Place | null>(null);
  const last = walked !== null && walked.room < states.length && walked.at < hours.length ? walked : null;

  function reach(room: number, from: number, to: number): void {
    const [first, second] = [hours[from], hours[to]];
    const open = hours.filter((_, index) => isOpen(states[room]?.[index]));
    if (first && second)
      onReach(room, first, second, (slot) => open.some(({ date, hour }) => date === slot.date && hour === slot.hour));
  }

  function walk(event: KeyboardEvent, from: Place): void {
    const to = placeAfter(event.key, from, { rooms: states.length, hours: hours.length, across });
    if (to === null) return;
    event.preventDefault();
    setWalked(to);
    const cell = grid.current?.querySelector<HTMLElement>(`[data-place="${to.room} ${to.at}"]`);
    cell?.focus({ preventScroll: true });
    cell?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    if (event.shiftKey && to.room === from.room) reach(to.room, from.at, to.at);
  }

  function press(event: MouseEvent, { room, at }: Place): void {
    setWalked({ room, at });
    const [slot, state] = [hours[at], states[room]?.[at]];
    if (slot === undefined) return;
    if (event.shiftKey && last?.room === room && last.at !== at) reach(room, last.at, at);
    else if (isOpen(state)) onToggle(room, slot);
    else if (canWait(state)) onTaken(room, slot);
  }

  return { stop: last ?? firstStop(states), walk, press };
}

/** Returns the position to which a key leads from another position; null for other keys. It stays within the timeline. */
function placeAfter(
  key: string,
  { room, at }: Place,
  { rooms, hours, across }: { readonly rooms: number; readonly hours: number; readonly across: boolean },
): Place | null {
  const within = (value: number, count: number): number => Math.min(Math.max(value, 0), count - 1);
  if (key === 'Home') return { room, at: 0 };
  if (key === 'End') return { room, at: hours - 1 };
  const [next, before, below, above] = across
    ? ['ArrowRight', 'ArrowLeft', 'ArrowDown', 'ArrowUp']
    : ['ArrowDown', 'ArrowUp', 'ArrowRight', 'ArrowLeft'];
  if (key === next || key === before) return { room, at: within(at + (key === next ? 1 : -1), hours) };
  if (key === below || key === above) return { room: within(room + (key === below ? 1 : -1), rooms), at };
  return null;
}

/** Returns the position that Tab reaches first: the selection, otherwise the first free hour. */
function firstStop(states: readonly (readonly SlotState[])[]): Place {
  for (const state of ['selected', 'free'] as const)
    for (const [room, row] of states.entries()) {
      const at = row.indexOf(state);
      if (at !== -1) return { room, at };
    }
  return { room: 0, at: 0 };
}
