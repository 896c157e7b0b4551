import { sameSlot, type Slot, slotClosed, slotTaken } from '#rules/slots.ts';
import { blocking, type Taken } from './taken.ts';

/** How an hour looks to a customer. */
export type SlotState =
  | 'free'
  | 'selected'
  | 'taken'
  | 'yours'
  | 'closed'
  | 'paying'
  | 'processing'
  | 'past'
  | 'skipped'
  | 'later';

/** Returns the state in which the grid shows an hour. An hour that cannot be booked is never shown as selected. */
export function slotState(
  slot: Slot,
  selection: readonly Slot[],
  taken: readonly Taken[],
  now: Date,
  horizonDays: number,
): SlotState {
  const closed = slotClosed(slot, now, horizonDays);
  if (closed === 'skipped') return 'skipped';
  if (closed === 'beyond-horizon') return 'later';
  if (closed === 'past') return 'past';
  const inTheWay = blocking(taken);
  const closures = inTheWay.filter((span) => span.status === 'closed');
  if (slotTaken(slot, closures)) return 'closed';
  const paid = inTheWay.filter((span) => span.status !== 'pending');
  if (slotTaken(slot, paid))
    return slotTaken(
      slot,
      paid.filter((span) => span.mine),
    )
      ? 'yours'
      : 'taken';
  if (slotTaken(slot, inTheWay)) {
    const processing = inTheWay.filter((span) => span.processing === true);
    return slotTaken(slot, processing) ? 'processing' : 'paying';
  }
  return selection.some((selected) => sameSlot(selected, slot)) ? 'selected' : 'free';
}
