import { staffWriteCustomer as contract } from '#contracts/customers/staff-write-customer.ts';
import { writeCustomer } from '#server/operations/customers/write.ts';
import { accepted, defineHandler } from '../handler.ts';
import { actorOf } from '../requests.ts';

export const staffWriteCustomer = defineHandler(contract, async (services, { caller, body }) => {
  await writeCustomer(services, body, actorOf(caller));
  return accepted({ queued: true });
});
