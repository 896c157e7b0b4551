import { type KeyboardEvent, useRef } from 'react';
import { formatMoney } from '#rules/money.ts';
import { hourRateCents } from '#rules/pricing.ts';
import { sameSlot, type Slot, slotClosed, slotLabel, slotRangeLabel, slotTaken } from '#rules/slots.ts';
import { formatStudioDate, type StudioDate, weekdayOf } from '#rules/studio-time.ts';
import type { Taken } from './queries.ts';

export type SlotState = 'free' | 'selected' | 'taken' | 'paying' | 'past' | 'skipped';
const WORDS: Readonly<Record<SlotState, string>> = {
  free: 'free',
  selected: 'selected',
  taken: 'taken',
  paying: 'being paid for',
  past: 'past',
  skipped: 'clocks go forward',
};

export function slotState(slot: Slot, selection: readonly Slot[], taken: readonly Taken[], now: Date): SlotState {
  const closed = slotClosed(slot, now);
  if (closed === 'skipped') return 'skipped';
  if (closed !== null) return 'past';
  if (
    slotTaken(
      slot,
      taken.filter((one) => one.status === 'confirmed'),
    )
  )
    return 'taken';
  if (slotTaken(slot, taken)) return 'paying';
  return selection.some((one) => sameSlot(one, slot)) ? 'selected' : 'free';
}

const LOOK: Readonly<Record<SlotState, string>> = {
  free: 'border-line bg-booth hover:border-chalk',
  selected: 'border-signal bg-signal text-ink font-bold',
  taken: 'border-booth bg-night text-dust line-through',
  paying: 'border-dashed border-warn bg-night text-dust',
  past: 'border-booth bg-night text-line',
  skipped: 'border-booth bg-night text-dust',
};

/** The 24 hours of a day. Arrow keys walk, Enter and Space choose, Shift with an arrow extends. */
export function SlotGrid({
  date,
  selection,
  taken,
  now,
  onToggle,
}: {
  date: StudioDate;
  selection: readonly Slot[];
  taken: readonly Taken[];
  now: Date;
  onToggle: (slot: Slot) => void;
}) {
  const grid = useRef<HTMLDivElement>(null);
  const states = Array.from({ length: 24 }, (_, hour) => slotState({ date, hour }, selection, taken, now));
  const entry = Math.max(
    0,
    states.findIndex((state) => state === 'selected' || state === 'free'),
  );

  function walk(event: KeyboardEvent, hour: number): void {
    const columns = grid.current ? getComputedStyle(grid.current).gridTemplateColumns.split(' ').length : 4;
    const steps: Readonly<Record<string, number>> = {
      ArrowRight: 1,
      ArrowLeft: -1,
      ArrowDown: columns,
      ArrowUp: -columns,
      Home: -hour,
      End: 23 - hour,
    };
    const step = steps[event.key];
    if (step === undefined) return;
    const to = hour + step;
    if (to < 0 || to > 23) return;
    event.preventDefault();
    grid.current?.querySelector<HTMLButtonElement>(`[data-hour="${to}"]`)?.focus();
    if (event.shiftKey && states[to] === 'free') onToggle({ date, hour: to });
  }

  return (
    <div
      ref={grid}
      role="group"
      aria-label={`Hours of ${formatStudioDate(date)}, Sydney time`}
      className="grid grid-cols-3 gap-1.5 sm:grid-cols-4 md:grid-cols-6"
    >
      {states.map((state, hour) => {
        const open = state === 'free' || state === 'selected';
        const price = hourRateCents(weekdayOf(date), hour);
        return (
          <button
            key={slotLabel(hour)}
            type="button"
            data-hour={hour}
            data-state={state}
            tabIndex={hour === entry ? 0 : -1}
            aria-pressed={state === 'selected'}
            aria-disabled={!open}
            aria-label={`${slotRangeLabel(hour)}, ${open ? `${formatMoney(price).slice(1)} dollars, ` : ''}${WORDS[state]}`}
            onClick={() => open && onToggle({ date, hour })}
            onKeyDown={(event) => walk(event, hour)}
            className={`flex min-h-16 flex-col items-start justify-between border-2 px-3 py-2 text-left transition-colors ${LOOK[state]} ${open ? '' : 'cursor-not-allowed'}`}
          >
            <span className="text-base font-bold">{slotLabel(hour)}</span>
            <span className="text-xs">{open ? formatMoney(price) : WORDS[state]}</span>
          </button>
        );
      })}
    </div>
  );
}

export function Legend() {
  const signs: [SlotState, string][] = [
    ['free', 'Free'],
    ['selected', 'Yours'],
    ['paying', 'Being paid for'],
    ['taken', 'Taken'],
  ];
  return (
    <ul className="mt-3 flex flex-wrap gap-x-5 gap-y-1 text-xs text-fog">
      {signs.map(([state, word]) => (
        <li key={state} className="flex items-center gap-2">
          <span className={`inline-block h-4 w-6 border-2 ${LOOK[state]}`} aria-hidden="true" />
          {word}
        </li>
      ))}
    </ul>
  );
}
