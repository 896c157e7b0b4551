import {
  type KeyboardEvent,
  memo,
  type MouseEvent,
  startTransition,
  useMemo,
  useOptimistic,
  useRef,
  useState,
} from 'react';
import { formatMoney } from '#rules/money.ts';
import { hourRateCents, type Rates } from '#rules/pricing.ts';
import { sameSlot, type Slot, slotLabel, slotRangeLabel } from '#rules/slots.ts';
import { formatStudioDate, type StudioDate } from '#rules/studio-time.ts';
import type { Taken } from '#web/data/finding/taken.ts';
import { useBusiness } from '#web/lib/business/business.ts';
import { useStable } from '#web/lib/use-stable.ts';
import { isOpen, SLOT_ICON, SLOT_LOOK, SLOT_WORDS } from '#web/data/finding/slot-look.ts';
import { type SlotState, slotState } from '#web/data/finding/slot-state.ts';
import { afterPress } from './selection.ts';
import { useGridWalk } from './use-grid-walk.ts';

/** From this number on, past hours are folded. */
const FOLDED = 2;

/**
 * Shows the 24 hours of a day; past hours are shown on request. Arrow keys move, also across midnight. Enter and Space toggle. Shift with
 * an arrow or a press extends the selection.
 */
export function SlotGrid({
  date,
  rates,
  selection,
  taken,
  now,
  marked = [],
  onToggle,
  onReach,
  ...actions
}: Omit<Parameters<typeof useGridWalk>[2], 'onToggle' | 'onReach'> & {
  date: StudioDate;
  rates: Rates;
  selection: readonly Slot[];
  taken: readonly Taken[];
  now: Date;
  /** Hours that other customers have just taken or released. */
  marked?: readonly number[];
  /** `chosen`: the selection on the screen, which can be newer than `selection`. */
  onToggle: (slot: Slot, chosen: readonly Slot[]) => void;
  onReach: (from: Slot, to: Slot, isFree: (slot: Slot) => boolean, chosen: readonly Slot[]) => void;
}) {
  const grid = useRef<HTMLFieldSetElement>(null);
  const [chosen, showChosen] = useOptimistic(selection);
  const { unchosen, prices } = useDay({ date, rates, taken, now });
  const states = unchosen.map((state, hour) =>
    state === 'free' && chosen.some((slot) => sameSlot(slot, { date, hour })) ? 'selected' : state,
  );
  const [unfolded, setUnfolded] = useState(false);
  const past = pastHours(states);
  const from = unfolded || past < FOLDED ? 0 : past;
  // The pressed hour renders first and the rest of the page after it. Together they take too long on a slow phone.
  const toggle = (slot: Slot): void =>
    startTransition(() => {
      showChosen(afterPress(chosen, slot));
      onToggle(slot, chosen);
    });
  const { stop, walk, press } = useGridWalk(
    grid,
    { date, states, from },
    { ...actions, onToggle: toggle, onReach: (first, last, isFree) => onReach(first, last, isFree, chosen) },
  );
  const [onPress, onKey] = [useStable(press), useStable(walk)];
  return (
    <fieldset
      ref={grid}
      aria-label={`Hours of ${formatStudioDate(date)}, Sydney time`}
      className="grid min-w-0 animate-rise grid-cols-3 gap-1.5 select-none sm:grid-cols-4"
    >
      {from > 0 ? (
        <button
          type="button"
          onClick={() => setUnfolded(true)}
          className="col-span-full min-h-11 border-2 border-deck px-3 text-left text-sm text-fog underline decoration-edge underline-offset-4 hover:text-chalk"
        >
          Show {from} past hours
        </button>
      ) : null}
      {states
        .slice(from)
        .map((state, index) => ({ state, hour: from + index }))
        .map(({ state, hour }) => (
          <Hour
            key={slotLabel(hour)}
            hour={hour}
            state={state}
            marked={marked.includes(hour)}
            price={prices[hour] ?? ''}
            tabIndex={hour === stop ? 0 : -1}
            onPress={onPress}
            onKey={onKey}
          />
        ))}
    </fieldset>
  );
}

/** Returns the price of each hour of a day, and its state without the selection. A press changes neither. */
function useDay({ date, rates, taken, now }: { date: StudioDate; rates: Rates; taken: readonly Taken[]; now: Date }) {
  const { horizonDays } = useBusiness();
  const unchosen = useMemo(
    () => Array.from({ length: 24 }, (_, hour) => slotState({ date, hour }, [], taken, now, horizonDays)),
    [date, taken, now, horizonDays],
  );
  const prices = useMemo(
    () => Array.from({ length: 24 }, (_, hour) => formatMoney(hourRateCents({ date, hour }, rates))),
    [date, rates],
  );
  return { unchosen, prices };
}

/** Counts the past hours at the beginning of the day. */
function pastHours(states: readonly SlotState[]): number {
  const next = states.findIndex((state) => state !== 'past' && state !== 'skipped');
  return next === -1 ? states.length : next;
}

/** Memoised, with stable functions: after a press only the hours that look different render. */
const Hour = memo(function Hour({
  hour,
  state,
  marked,
  price,
  tabIndex,
  onPress,
  onKey,
}: {
  hour: number;
  state: SlotState;
  marked: boolean;
  price: string;
  tabIndex: 0 | -1;
  onPress: (event: MouseEvent, hour: number) => void;
  onKey: (event: KeyboardEvent, hour: number) => void;
}) {
  const open = isOpen(state);
  const Icon = SLOT_ICON[state];
  return (
    <button
      type="button"
      tabIndex={tabIndex}
      onClick={(event) => onPress(event, hour)}
      onKeyDown={(event) => onKey(event, hour)}
      data-hour={hour}
      data-state={state}
      data-marked={marked || undefined}
      aria-pressed={state === 'selected'}
      aria-disabled={!open}
      aria-label={`${slotRangeLabel(hour)}, ${open ? `${price.slice(1)} dollars, ` : ''}${SLOT_WORDS[state]}`}
      className={`relative flex min-h-16 flex-col items-start justify-between border-2 px-3 py-2 text-left data-marked:outline-2 data-marked:outline-offset-1 data-marked:outline-chalk data-marked:animate-mark ${SLOT_LOOK[state]} ${open ? '' : 'cursor-not-allowed'}`}
    >
      <span className="flex w-full items-center justify-between gap-1">
        <span className={`text-base font-bold whitespace-nowrap ${state === 'taken' ? 'line-through' : ''}`}>
          {slotLabel(hour)}
        </span>
        {Icon ? <Icon aria-hidden="true" className="size-4 shrink-0" strokeWidth={2.5} /> : null}
      </span>
      <span className={`leading-tight ${open ? 'text-sm' : 'text-xs'} ${state === 'selected' ? 'font-bold' : ''}`}>
        {open ? price : SLOT_WORDS[state]}
      </span>
    </button>
  );
});

const SHOWN: readonly (readonly [SlotState, string])[] = [
  ['free', 'Free'],
  ['selected', 'Selected'],
  ['paying', 'Being paid for'],
  ['taken', 'Taken'],
  ['yours', 'Yours'],
  ['past', 'Past'],
];

export function Legend() {
  return (
    <ul className="mt-4 flex flex-wrap gap-x-5 gap-y-2 text-xs text-fog" aria-label="What the hours look like">
      {SHOWN.map(([state, word]) => {
        const Icon = SLOT_ICON[state];
        return (
          <li key={state} className="flex items-center gap-2">
            <span className={`grid h-5 w-7 place-items-center border-2 ${SLOT_LOOK[state]}`} aria-hidden="true">
              {Icon ? <Icon className="size-3" strokeWidth={3} /> : null}
            </span>
            {word}
          </li>
        );
      })}
    </ul>
  );
}
