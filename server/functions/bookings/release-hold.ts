import { releaseHold as contract } from '#contracts/bookings/release-hold.ts';
import type { BookingContext } from '#server/operations/bookings/context.ts';
import { releaseOwnHold } from '#server/operations/bookings/release.ts';
import { defineHandler } from '../handler.ts';
import { signedIn } from '../requests.ts';

type Context = { booking: BookingContext };

export const releaseHold = defineHandler(contract, async (context: Context, { caller, body }) => {
  const { userId } = signedIn(caller);
  const { booking, couponCode } = await releaseOwnHold(context.booking, body.bookingId, userId);
  return { released: booking.status === 'cancelled', status: booking.status, couponCode };
});
