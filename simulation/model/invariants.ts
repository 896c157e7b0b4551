/** What must hold in every state of the model. */
import { getConfirmed, getHolds, getRow, getRows, type Row, type Share, type State } from './state.ts';

const NO_DOUBLE_BOOKING = 'no double booking';
const NO_BOOKING_LOST = 'no paid booking lost';
const NO_MONEY_KEPT = 'no money kept for nothing';
const NO_GIFTS = 'no hours or refunds for nothing';
const BOUNDED = 'unpaid hours are bounded';
/** The property that from every state all holds can end without their customers, and that the time of a hold never begins again. */
export const EVERY_HOLD_ENDS = 'every hold ends';

export const PROPERTIES = [
  NO_DOUBLE_BOOKING,
  NO_BOOKING_LOST,
  NO_MONEY_KEPT,
  NO_GIFTS,
  BOUNDED,
  EVERY_HOLD_ENDS,
] as const;

/** Returns the property that a state breaks; null for none. */
export function findViolation(s: State): (typeof PROPERTIES)[number] | null {
  if (hasDoubleBooking(s)) return NO_DOUBLE_BOOKING;
  if (hasLostBooking(s)) return NO_BOOKING_LOST;
  const shares = s.sessions.flatMap((session) => session.shares);
  if (shares.some(({ booking, money }) => money === 'kept' && getRow(s, booking)?.confirmed !== true))
    return NO_MONEY_KEPT;
  if (shares.some(({ money }) => money === 'sent twice') || getConfirmed(s).some((row) => !isPaid(row, shares)))
    return NO_GIFTS;
  return hasTooManyHolds(s) ? BOUNDED : null;
}

/** Two rows have the same slot. A booking may share a slot with the holds of its own waiting moves, and these with each other. */
function hasDoubleBooking(s: State): boolean {
  const rows = getRows(s);
  const overlap = (row: Row, other: Row): boolean => row.b.slots.some((slot) => other.b.slots.includes(slot));
  const isSame = (row: Row, other: Row): boolean => (row.b.moves ?? row.id) === (other.b.moves ?? other.id);
  return rows.some((row) => rows.some((other) => overlap(row, other) && !isSame(row, other)));
}

/** A paid booking has no hours, or a session has been paid and is not settled yet, and no hold waits for its money any more. */
function hasLostBooking(s: State): boolean {
  if (getConfirmed(s).some(({ b }) => b.slots.length === 0)) return true;
  return s.sessions.some(({ at, booking, replaced, shares }) => {
    if (at !== 'paid' || shares.length > 0) return false;
    const hold = getRow(s, booking);
    return hold === null || replaced || hold.payment === 'closed';
  });
}

const isPaid = ({ id }: Row, shares: readonly Share[]): boolean =>
  shares.some(({ booking, money }) => booking === id && money === 'kept');

/** An account has more unpaid holds, or more claims on one day, than the limits allow. */
const hasTooManyHolds = (s: State): boolean =>
  s.customers.some(
    ({ claims }, customer) => claims > 1 || getHolds(s).filter(({ b }) => b.customer === customer && !b.due).length > 1,
  );

/** Returns whether the time of a hold began again after it had ended. */
export const isProlonged = (before: State, after: State): boolean =>
  getHolds(after).some(({ id, b }) => !b.due && getRow(before, id)?.due === true);

export const hasNoHolds = (s: State): boolean => getHolds(s).length === 0;
