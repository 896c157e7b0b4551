import { leaveWaitlist as contract } from '#contracts/bookings/leave-waitlist.ts';
import type { BookingContext } from '#server/operations/bookings/context.ts';
import { leaveWaitlist as leave } from '#server/operations/customers/waitlist.ts';
import { defineHandler } from '../handler.ts';
import { signedIn } from '../requests.ts';

type Context = { booking: BookingContext };

export const leaveWaitlist = defineHandler(contract, async ({ booking }: Context, { caller, body }) => {
  const { userId } = signedIn(caller);
  await leave(booking, { userId, ...body });
  return { left: true as const };
});
