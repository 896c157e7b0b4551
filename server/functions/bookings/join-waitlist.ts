import { joinWaitlist as contract } from '#contracts/bookings/join-waitlist.ts';
import { joinWaitlist as join } from '#server/operations/customers/waitlist.ts';
import { defineHandler } from '../handler.ts';
import { signedIn } from '../requests.ts';

export const joinWaitlist = defineHandler(contract, async (services, { caller, body }) => {
  const { userId } = signedIn(caller);
  return join(services, { userId, ...body });
});
