import { staffWriteCustomer as contract } from '#contracts/customers/staff-write-customer.ts';
import { writeCustomer } from '#server/operations/customers/write.ts';
import { accepted, defineHandler } from '../handler.ts';
import { getActor } from '../requests.ts';

export const staffWriteCustomer = defineHandler(contract, async (services, { caller, body }) => {
  await writeCustomer(services, body, getActor(caller));
  return accepted({ queued: true });
});
