import { type KeyboardEvent, type MouseEvent, type RefObject, useState } from 'react';
import type { Slot } from '#rules/slots.ts';
import type { StudioDate } from '#rules/studio-time.ts';
import type { SlotState } from '#web/data/finding/slot-state.ts';
import { canWait, isOpen } from '#web/data/finding/slot-look.ts';

type Actions = {
  readonly onToggle: (slot: Slot) => void;
  readonly onReach: (from: Slot, to: Slot, isFree: (slot: Slot) => boolean) => void;
  /** Called when an arrow key leaves the day for the next morning or the evening before. `extend`: Shift was held, so that hour is added. */
  readonly onCross: (step: 1 | -1, extend: boolean) => void;
  /** Called when a taken hour is pressed. */
  readonly onTaken?: (slot: Slot) => void;
};

/**
 * Handles keys and presses in the grid of a day. Arrow keys move, also across midnight; Shift with an arrow or a press extends the
 * selection. `stop`: the only hour in the tab order; `from`: the first hour that is shown.
 */
export function useGridWalk(
  grid: RefObject<HTMLElement | null>,
  day: { readonly date: StudioDate; readonly states: readonly SlotState[]; readonly from: number },
  { onToggle, onReach, onCross, onTaken }: Actions,
) {
  const { date, states, from } = day;
  const [walked, setWalked] = useState<Slot | null>(null);
  const last = walked?.date === date && walked.hour >= from ? walked.hour : null;
  const isFree = (slot: Slot): boolean => slot.date === date && isOpen(states[slot.hour]);

  function walk(event: KeyboardEvent, hour: number): void {
    const step = event.key === 'Home' ? from - hour : getStep(event.key, hour, grid.current);
    if (step === null) return;
    event.preventDefault();
    const to = hour + step;
    if (to < from || to > 23) {
      if (step === 1 || step === -1) onCross(step, event.shiftKey);
      return;
    }
    setWalked({ date, hour: to });
    grid.current?.querySelector<HTMLButtonElement>(`[data-hour="${to}"]`)?.focus();
    if (event.shiftKey) onReach({ date, hour }, { date, hour: to }, isFree);
  }

  function press(event: MouseEvent, hour: number): void {
    setWalked({ date, hour });
    if (event.shiftKey && last !== null && last !== hour) onReach({ date, hour: last }, { date, hour }, isFree);
    else if (isOpen(states[hour])) onToggle({ date, hour });
    else if (canWait(states[hour])) onTaken?.({ date, hour });
  }

  return { stop: last ?? Math.max(firstStop(states), from), walk, press };
}

/** Returns by how many hours a key moves; null for other keys. Up and down move by one row. */
function getStep(key: string, hour: number, grid: HTMLElement | null): number | null {
  const columns = grid ? getComputedStyle(grid).gridTemplateColumns.split(' ').length : 4;
  const steps: Readonly<Record<string, number>> = {
    ArrowRight: 1,
    ArrowLeft: -1,
    ArrowDown: columns,
    ArrowUp: -columns,
    End: 23 - hour,
  };
  return steps[key] ?? null;
}

/** Returns the hour that Tab reaches first: a selected hour, otherwise the first free hour. */
function firstStop(states: readonly SlotState[]): number {
  const selected = states.indexOf('selected');
  return Math.max(selected === -1 ? states.indexOf('free') : selected, 0);
}
