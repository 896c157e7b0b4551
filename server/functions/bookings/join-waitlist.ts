import { joinWaitlist as contract } from '#contracts/bookings/join-waitlist.ts';
import type { BookingContext } from '#server/operations/bookings/context.ts';
import { joinWaitlist as join } from '#server/operations/customers/waitlist.ts';
import { defineHandler } from '../handler.ts';
import { signedIn } from '../requests.ts';

type Context = { booking: BookingContext };

export const joinWaitlist = defineHandler(contract, async ({ booking }: Context, { caller, body }) => {
  const { userId } = signedIn(caller);
  return join(booking, { userId, ...body });
});
