import { staffKeepWithoutId as contract } from '#contracts/customers/staff-keep-without-id.ts';
import { keepWithoutId } from '#server/operations/identity/missing-ids.ts';
import { defineHandler } from '../handler.ts';
import { actorOf } from '../requests.ts';

export const staffKeepWithoutId = defineHandler(contract, async (services, { caller, body }) => {
  await keepWithoutId(services.customerClass, body, actorOf(caller));
  return { kept: true as const };
});
