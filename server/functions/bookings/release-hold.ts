import { releaseHold as contract } from '#contracts/bookings/release-hold.ts';
import { releaseOwnHold } from '#server/operations/bookings/release.ts';
import { defineHandler } from '../handler.ts';
import { signedIn } from '../requests.ts';

export const releaseHold = defineHandler(contract, async (services, { caller, body }) => {
  const { userId } = signedIn(caller);
  const { booking, couponCode } = await releaseOwnHold(services, body.bookingId, userId);
  return { released: booking.status === 'cancelled', status: booking.status, couponCode };
});
