import { type KeyboardEvent, memo, type MouseEvent } from 'react';
import { isOpen, SLOT_ICON, SLOT_LOOK, SLOT_WORDS } from '#web/data/finding/slot-look.ts';
import type { SlotState } from '#web/data/finding/slot-state.ts';
import type { Place } from './use-timeline-walk.ts';

/** Heights of the price mark, from the lowest to the highest price. */
const LEVELS = ['h-1', 'h-2', 'h-3', 'h-4'] as const;
const hatched =
  'bg-[repeating-linear-gradient(135deg,transparent_0_5px,var(--color-line)_5px_6px)] forced-colors:bg-none';

/** A mark whose height shows the price. */
export function PriceMark({ level, className = '' }: { level: number; className?: string }) {
  return <span aria-hidden="true" className={`block ${LEVELS[Math.min(level, LEVELS.length - 1)]} ${className}`} />;
}

/** One hour of a room. Memoised, with stable functions: after a press only the hours that look different render. */
export const TimelineCell = memo(function TimelineCell({
  room,
  at,
  label,
  state,
  price,
  level,
  first,
  midnight,
  marked,
  across,
  reached,
  onPress,
  onKey,
}: {
  room: number;
  at: number;
  /** The name of room and hour. */
  label: string;
  state: SlotState;
  /** The formatted price, such as "$59". */
  price: string;
  /** The rank of the price among the day's prices. */
  level: number;
  /** Whether the price differs from that of the hour before. */
  first: boolean;
  /** Whether a new day begins with this hour. */
  midnight: boolean;
  /** Whether another customer has just taken or released the hour. */
  marked: boolean;
  across: boolean;
  /** Whether Tab reaches the cell. */
  reached: boolean;
  onPress: (event: MouseEvent, place: Place) => void;
  onKey: (event: KeyboardEvent, place: Place) => void;
}) {
  const open = isOpen(state);
  const Icon = SLOT_ICON[state];
  const place = { room, at };
  return (
    <button
      type="button"
      role="gridcell"
      tabIndex={reached ? 0 : -1}
      data-place={`${room} ${at}`}
      data-state={state}
      data-marked={marked || undefined}
      aria-selected={state === 'selected'}
      aria-disabled={!open}
      aria-label={`${label}, ${open ? `${price.slice(1)} dollars, ` : ''}${SLOT_WORDS[state]}`}
      title={across ? `${label}${open ? `, ${price}` : ''}` : undefined}
      onClick={(event) => onPress(event, place)}
      onKeyDown={(event) => onKey(event, place)}
      className={`group relative flex min-w-0 scroll-mb-48 overflow-hidden border-2 text-left select-none focus-visible:z-10 focus-visible:outline-offset-0 data-marked:animate-mark data-marked:outline-2 data-marked:outline-chalk ${SLOT_LOOK[state]} ${state === 'taken' || state === 'closed' ? hatched : ''} ${open ? '' : 'cursor-not-allowed'} ${across ? `h-16 flex-col justify-between ${midnight ? 'ml-2' : ''}` : 'min-h-11 items-center justify-between px-2.5'}`}
    >
      {Icon ? (
        <Icon
          aria-hidden="true"
          strokeWidth={2.5}
          className={`shrink-0 ${across ? 'mx-auto mt-1.5 size-3.5' : 'order-last size-4'}`}
        />
      ) : null}
      {open ? (
        <span
          className={`tabular-nums ${across ? `order-first mx-auto mt-1 text-[11px] font-semibold ${first || state === 'selected' ? '' : 'opacity-0 group-hover:opacity-100 group-focus-visible:opacity-100'}` : 'text-sm font-semibold'}`}
        >
          {price}
        </span>
      ) : across ? null : (
        <span className="text-xs">{SLOT_WORDS[state]}</span>
      )}
      {open && across ? (
        <PriceMark
          level={level}
          className={`mt-auto w-full ${state === 'selected' ? 'bg-ink/30' : 'bg-edge group-hover:bg-chalk'}`}
        />
      ) : null}
    </button>
  );
});
