import type { BlockedBookings, BookingOfBlocked } from '#contracts/customers/staff-block-customer.ts';
import { callJson, callSql } from '../core/call-sql.ts';
import { cancelForStaff, type StaffCancellation } from '../bookings/cancel-for-staff.ts';
import type { MoneyRight } from '../core/concessions.ts';
import { Refusal } from '../core/refusal.ts';
import type { Services } from '../core/services.ts';

export type Block = {
  readonly userId: string;
  /** For staff; customers do not read it. */
  readonly reason: string;
  /** null: until staff unblock. */
  readonly until: Date | null;
};

/**
 * Blocks a customer: no hold and no payment any more. Returns the bookings that are not over; unpaid holds among them end by themselves. Throws
 * `Refusal`: `not_found`, `invalid_request`.
 */
export async function blockCustomer(
  { db, clock }: Services,
  { userId, reason, until }: Block,
  actor: string,
): Promise<readonly BookingOfBlocked[]> {
  const now = clock();
  if (until !== null && until <= now) throw new Refusal('invalid_request', 'until must be in the future.');
  const bookings = await callJson(
    db,
    'block_customer',
    { p_user: userId, p_reason: reason, p_until: until, p_actor: actor, p_now: now },
    (json: readonly BookingOfBlocked[]) => json,
  );
  if (bookings === null) throw new Refusal('not_found', 'Customer not found');
  return bookings;
}

/**
 * Keeps or cancels the bookings that a blocked customer has paid for. Returns those that are left to decide about: all of them with `later`, otherwise
 * those that could not be cancelled. The same decision again changes nothing.
 */
export async function decideBlockedBookings(
  services: Services,
  bookings: readonly BookingOfBlocked[],
  {
    decision,
    ...wanted
  }: Pick<StaffCancellation, 'reason' | 'actor'> & {
    readonly decision: BlockedBookings;
    readonly money: MoneyRight;
  },
): Promise<readonly BookingOfBlocked[]> {
  const confirmed = bookings.filter(({ status }) => status === 'confirmed');
  if (decision === 'later') return confirmed;
  if (decision === 'keep') {
    await callSql(services.db, 'keep_blocked_bookings', {
      p_bookings: confirmed.map(({ id }) => id),
      p_actor: wanted.actor,
    });
    return [];
  }
  const left: BookingOfBlocked[] = [];
  for (const booking of confirmed)
    if (!(await wasCancelled(services, { ...wanted, bookingId: booking.id, refund: REFUNDS[decision] })))
      left.push(booking);
  return left;
}

const REFUNDS = { terms: 'terms', refund: 'full' } as const;

/** Cancels a booking. Returns false when it is refused: staff may lack the permission for its refund, or it has just changed. */
async function wasCancelled(services: Services, wanted: StaffCancellation): Promise<boolean> {
  try {
    await cancelForStaff(services, wanted);
    return true;
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
}

/** Ends a block; a customer who is not blocked stays so. Throws `Refusal('not_found')`. */
export async function unblockCustomer({ db }: Services, userId: string, actor: string): Promise<void> {
  const found = await callSql(db, 'unblock_customer', { p_user: userId, p_actor: actor });
  if (found !== true) throw new Refusal('not_found', 'Customer not found');
}
