import { staffUnblockCustomer as contract } from '#contracts/customers/staff-unblock-customer.ts';
import { unblockCustomer } from '#server/operations/customers/block.ts';
import { defineHandler } from '../handler.ts';
import { getActor } from '../requests.ts';

export const staffUnblockCustomer = defineHandler(contract, async (services, { caller, body }) => {
  await unblockCustomer(services, body.userId, getActor(caller));
  return { blocked: false as const };
});
