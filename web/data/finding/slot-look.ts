import { Ban, CalendarCheck, Check, Clock, Hourglass, type LucideIcon } from 'lucide-react';
import type { SlotState } from './slot-state.ts';

/** The label of each state. */
export const SLOT_WORDS: Readonly<Record<SlotState, string>> = {
  free: 'free',
  selected: 'selected',
  taken: 'taken',
  yours: 'yours',
  closed: 'closed',
  paying: 'being paid for',
  processing: 'yours, payment processing',
  past: 'past',
  skipped: 'clocks go forward',
  later: 'not open yet',
};
/** The style of each state. States differ by word, icon and border as well as by colour. */
export const SLOT_LOOK: Readonly<Record<SlotState, string>> = {
  free: 'border-line bg-booth hover:border-chalk',
  selected: 'border-signal bg-signal text-ink forced-colors:border-4 forced-colors:border-[Highlight]',
  taken: 'border-transparent bg-deck text-fog',
  yours: 'border-good bg-night text-chalk',
  closed: 'border-dotted border-line bg-night text-fog',
  paying: 'border-dashed border-warn/70 bg-night text-fog',
  processing: 'border-dashed border-signal bg-night text-chalk',
  past: 'border-deck bg-night text-dust',
  skipped: 'border-dotted border-line bg-night text-fog',
  later: 'border-transparent bg-night text-dust',
};
/** The icon of some states. */
export const SLOT_ICON: Readonly<Partial<Record<SlotState, LucideIcon>>> = {
  selected: Check,
  taken: Ban,
  yours: CalendarCheck,
  closed: Ban,
  paying: Hourglass,
  processing: Hourglass,
  skipped: Clock,
};

/** Whether customers can join the wait list for an hour in this state. */
export const canWait = (state: SlotState | undefined): boolean =>
  state === 'taken' || state === 'paying' || state === 'closed';

/** Whether an hour in this state can be booked. */
export const isOpen = (state: SlotState | undefined): boolean => state === 'free' || state === 'selected';
