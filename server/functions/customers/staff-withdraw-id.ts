import { staffWithdrawId as contract } from '#contracts/customers/staff-withdraw-id.ts';
import { withdrawId } from '#server/operations/identity/withdraw.ts';
import { defineHandler } from '../handler.ts';
import { getActor } from '../requests.ts';

export const staffWithdrawId = defineHandler(contract, async (services, { caller, body }) => {
  await withdrawId(services.customerClass, body, getActor(caller));
  return { withdrawn: true as const };
});
