import { leaveWaitlist as contract } from '#contracts/bookings/leave-waitlist.ts';
import { leaveWaitlist as leave } from '#server/operations/customers/waitlist.ts';
import { defineHandler } from '../handler.ts';
import { signedIn } from '../requests.ts';

export const leaveWaitlist = defineHandler(contract, async (services, { caller, body }) => {
  const { userId } = signedIn(caller);
  await leave(services, { userId, ...body });
  return { left: true as const };
});
