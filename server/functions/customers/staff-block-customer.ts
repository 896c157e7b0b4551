import { staffBlockCustomer as contract } from '#contracts/customers/staff-block-customer.ts';
import type { BookingContext } from '#server/operations/bookings/context.ts';
import { blockCustomer, decideBlockedBookings } from '#server/operations/customers/block.ts';
import { readMoneyRight } from '#server/operations/staff/money-right.ts';
import type { StaffContext } from '#server/operations/staff/require-permission.ts';
import { defineHandler } from '../handler.ts';
import { actorOf } from '../requests.ts';

type Services = { readonly booking: BookingContext; readonly staff: StaffContext };

export const staffBlockCustomer = defineHandler(contract, async ({ booking, staff }: Services, { caller, body }) => {
  const { bookings: decision, ...block } = body;
  const actor = actorOf(caller);
  const bookings = await blockCustomer(booking, block, actor);
  const money = await readMoneyRight(staff, caller);
  const { reason } = block;
  const undecided = await decideBlockedBookings(booking, bookings, { decision, reason, actor, money });
  return { blocked: true as const, bookings, left: undecided.length };
});
