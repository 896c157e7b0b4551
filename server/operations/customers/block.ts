import type { BlockedBookings, BookingOfBlocked } from '#contracts/customers/staff-block-customer.ts';
import { callJson, callSql } from '../core/call-sql.ts';
import { cancelForStaff, type StaffCancellation } from '../bookings/cancel-for-staff.ts';
import type { MoneyRight } from '../core/concessions.ts';
import { Refusal } from '../core/refusal.ts';
import type { Services } from '../core/services.ts';

export type Block = {
  readonly userId: string;
  /** For staff; it is not shown to the customer. */
  readonly reason: string;
  /** Null until staff unblock the customer. */
  readonly until: Date | null;
};

/**
 * Blocks a customer, who can then neither hold hours nor pay. Returns the customer's bookings that have not ended; unpaid holds among them
 * expire. Throws `Refusal`: `not_found`, `invalid_request`.
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
 * Keeps or cancels the bookings that a blocked customer has paid for. Returns those still to be decided: all of them with `later`,
 * otherwise those that could not be cancelled. Idempotent for the same decision.
 */
export async function decideBlockedBookings(
  services: Services,
  bookings: readonly BookingOfBlocked[],
  {
    decision,
    ...request
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
      p_actor: request.actor,
    });
    return [];
  }
  const remaining: BookingOfBlocked[] = [];
  for (const booking of confirmed)
    if (!(await wasCancelled(services, { ...request, bookingId: booking.id, refund: REFUNDS[decision] })))
      remaining.push(booking);
  return remaining;
}

const REFUNDS = { terms: 'terms', refund: 'full' } as const;

/**
 * Cancels a booking. Returns false if the cancellation is refused, because staff lack the permission for its refund or the booking has just
 * changed.
 */
async function wasCancelled(services: Services, request: StaffCancellation): Promise<boolean> {
  try {
    await cancelForStaff(services, request);
    return true;
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
}

/** Unblocks a customer. Idempotent. Throws `Refusal('not_found')`. */
export async function unblockCustomer({ db }: Services, userId: string, actor: string): Promise<void> {
  const found = await callSql(db, 'unblock_customer', { p_user: userId, p_actor: actor });
  if (found !== true) throw new Refusal('not_found', 'Customer not found');
}
