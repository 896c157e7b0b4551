import type { DisputeDecision } from '#contracts/disputes/staff-decide-dispute.ts';
import { keepDisputed, readCodeHold } from '../access/code-hold.ts';
import { cancelForStaff } from '../bookings/cancel-for-staff.ts';
import { readBooking } from '../core/booking-rows.ts';
import { Refusal } from '../core/refusal.ts';
import { blockCustomer } from './block.ts';
import type { Services } from '../core/services.ts';

type Decided = { readonly bookingId: string; readonly decision: DisputeDecision; readonly reason: string };

/**
 * Applies the decision of staff about a disputed booking whose code is held. Cancelling it refunds nothing, because the bank has already
 * taken the disputed money. Idempotent. Throws `Refusal`: `not_found` if the code is not held, `already_done` if another decision was made,
 * `invalid_request` if the decision blocks a customer without an account, and the refusals of `cancelForStaff`.
 */
export async function decideDispute(
  services: Services,
  { bookingId, decision, reason }: Decided,
  actor: string,
): Promise<void> {
  if (decision === 'keep') return keepDisputed(services, { bookingId, reason }, actor);
  const booking = await readBooking(services.db, bookingId);
  if (!booking || (await readCodeHold(services.db, bookingId)) === null)
    throw new Refusal('not_found', 'This booking has no payment dispute to decide.');
  if (decision === 'block' && booking.userId === null)
    throw new Refusal('invalid_request', 'This booking has no account to block. Cancel the booking instead.', {
      field: 'decision',
    });
  await cancelForStaff(services, {
    bookingId,
    refund: 'none',
    reason,
    actor,
    // No permission for money is needed: nothing is refunded, because the bank has already taken the disputed money.
    money: 'held',
    stillWanted: async (tx) => (await readCodeHold(tx, bookingId)) !== null,
  });
  if (decision === 'block' && booking.userId !== null)
    await blockCustomer(services, { userId: booking.userId, reason, until: null }, actor);
  return undefined;
}
