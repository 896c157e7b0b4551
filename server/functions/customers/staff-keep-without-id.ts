import { staffKeepWithoutId as contract } from '#contracts/customers/staff-keep-without-id.ts';
import { keepWithoutId } from '#server/operations/identity/missing-ids.ts';
import { defineHandler } from '../handler.ts';
import { getActor } from '../requests.ts';

export const staffKeepWithoutId = defineHandler(contract, async (services, { caller, body }) => {
  await keepWithoutId(services.customerClass, body, getActor(caller));
  return { kept: true as const };
});
