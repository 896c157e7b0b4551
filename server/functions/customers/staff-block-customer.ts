import { staffBlockCustomer as contract } from '#contracts/customers/staff-block-customer.ts';
import { blockCustomer, decideBlockedBookings } from '#server/operations/customers/block.ts';
import { readMoneyRight } from '#server/operations/staff/money-right.ts';
import { defineHandler } from '../handler.ts';
import { getActor } from '../requests.ts';

export const staffBlockCustomer = defineHandler(contract, async (services, { caller, body }) => {
  const { bookings: decision, ...block } = body;
  const actor = getActor(caller);
  const bookings = await blockCustomer(services, block, actor);
  const money = await readMoneyRight(services, caller);
  const { reason } = block;
  const undecided = await decideBlockedBookings(services, bookings, { decision, reason, actor, money });
  return { blocked: true as const, bookings, left: undecided.length };
});
