import { Ban, Check, Clock, Hourglass, type LucideIcon } from 'lucide-react';
import { type KeyboardEvent, type MouseEvent, useRef, useState } from 'react';
import { formatMoney } from '#rules/money.ts';
import { hourRateCents } from '#rules/pricing.ts';
import { type Slot, slotLabel, slotRangeLabel } from '#rules/slots.ts';
import { formatStudioDate, type StudioDate, weekdayOf } from '#rules/studio-time.ts';
import { type SlotState, slotState, type Taken } from './selection.ts';

const WORDS: Readonly<Record<SlotState, string>> = {
  free: 'free',
  selected: 'selected',
  taken: 'taken',
  paying: 'being paid for',
  processing: 'yours, payment processing',
  past: 'past',
  skipped: 'clocks go forward',
  later: 'not open yet',
};
/** Each state differs by word, icon and border as well as by colour. */
const LOOK: Readonly<Record<SlotState, string>> = {
  free: 'border-line bg-booth hover:border-chalk',
  selected: 'border-signal bg-signal text-ink forced-colors:border-4 forced-colors:border-[Highlight]',
  taken: 'border-transparent bg-deck text-fog',
  paying: 'border-dashed border-warn/70 bg-night text-fog',
  processing: 'border-dashed border-signal bg-night text-chalk',
  past: 'border-deck bg-night text-dust',
  skipped: 'border-dotted border-line bg-night text-fog',
  later: 'border-transparent bg-night text-dust',
};
const SIGN: Readonly<Partial<Record<SlotState, LucideIcon>>> = {
  selected: Check,
  taken: Ban,
  paying: Hourglass,
  processing: Hourglass,
  skipped: Clock,
};
const isOpen = (state: SlotState | undefined): boolean => state === 'free' || state === 'selected';

/** Shows the 24 hours of a day. Arrow keys move, also across midnight; Enter and Space toggle; Shift with an arrow or a click extends. */
export function SlotGrid({
  date,
  selection,
  taken,
  now,
  onToggle,
  onReach,
  onCross,
}: {
  date: StudioDate;
  selection: readonly Slot[];
  taken: readonly Taken[];
  now: Date;
  onToggle: (slot: Slot) => void;
  onReach: (from: Slot, to: Slot, isFree: (slot: Slot) => boolean) => void;
  /** An arrow key leaves the day for the next morning or the evening before; `extend`: with Shift, so that hour is added. */
  onCross: (step: 1 | -1, extend: boolean) => void;
}) {
  const grid = useRef<HTMLFieldSetElement>(null);
  const [walked, setWalked] = useState<{ date: StudioDate; hour: number } | null>(null);
  const states = Array.from({ length: 24 }, (_, hour) => slotState({ date, hour }, selection, taken, now));
  const firstOf = (wanted: SlotState): number => states.indexOf(wanted);
  const stop =
    walked?.date === date
      ? walked.hour
      : Math.max(firstOf('selected') === -1 ? firstOf('free') : firstOf('selected'), 0);
  const isFree = (slot: Slot): boolean => slot.date === date && isOpen(states[slot.hour]);

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
    event.preventDefault();
    const to = hour + step;
    if (to < 0 || to > 23) {
      if (step === 1 || step === -1) onCross(step, event.shiftKey);
      return;
    }
    setWalked({ date, hour: to });
    grid.current?.querySelector<HTMLButtonElement>(`[data-hour="${to}"]`)?.focus();
    if (event.shiftKey) onReach({ date, hour }, { date, hour: to }, isFree);
  }

  function press(event: MouseEvent, hour: number): void {
    const from = walked?.date === date ? walked.hour : null;
    setWalked({ date, hour });
    if (event.shiftKey && from !== null && from !== hour) return onReach({ date, hour: from }, { date, hour }, isFree);
    if (isOpen(states[hour])) onToggle({ date, hour });
    return undefined;
  }

  return (
    <fieldset
      ref={grid}
      aria-label={`Hours of ${formatStudioDate(date)}, Sydney time`}
      className="grid min-w-0 animate-rise grid-cols-3 gap-1.5 select-none sm:grid-cols-4"
    >
      {states.map((state, hour) => {
        const open = isOpen(state);
        const price = formatMoney(hourRateCents(weekdayOf(date), hour));
        const Sign = SIGN[state];
        return (
          <button
            key={slotLabel(hour)}
            type="button"
            data-hour={hour}
            data-state={state}
            tabIndex={hour === stop ? 0 : -1}
            aria-pressed={state === 'selected'}
            aria-disabled={!open}
            aria-label={`${slotRangeLabel(hour)}, ${open ? `${price.slice(1)} dollars, ` : ''}${WORDS[state]}`}
            onClick={(event) => press(event, hour)}
            onKeyDown={(event) => walk(event, hour)}
            className={`relative flex min-h-16 flex-col items-start justify-between border-2 px-3 py-2 text-left transition-colors ${LOOK[state]} ${open ? '' : 'cursor-not-allowed'}`}
          >
            <span className="flex w-full items-center justify-between gap-1">
              <span className={`text-base font-bold whitespace-nowrap ${state === 'taken' ? 'line-through' : ''}`}>
                {slotLabel(hour)}
              </span>
              {Sign ? <Sign aria-hidden="true" className="size-4 shrink-0" strokeWidth={2.5} /> : null}
            </span>
            <span
              className={`leading-tight ${open ? 'text-sm' : 'text-xs'} ${state === 'selected' ? 'font-bold' : ''}`}
            >
              {open ? price : WORDS[state]}
            </span>
          </button>
        );
      })}
    </fieldset>
  );
}

const SIGNS: readonly (readonly [SlotState, string])[] = [
  ['free', 'Free'],
  ['selected', 'Yours'],
  ['paying', 'Being paid for'],
  ['taken', 'Taken'],
  ['past', 'Past'],
];

export function Legend() {
  return (
    <ul className="mt-4 flex flex-wrap gap-x-5 gap-y-2 text-xs text-fog" aria-label="What the hours look like">
      {SIGNS.map(([state, word]) => {
        const Sign = SIGN[state];
        return (
          <li key={state} className="flex items-center gap-2">
            <span className={`grid h-5 w-7 place-items-center border-2 ${LOOK[state]}`} aria-hidden="true">
              {Sign ? <Sign className="size-3" strokeWidth={3} /> : null}
            </span>
            {word}
          </li>
        );
      })}
    </ul>
  );
}
