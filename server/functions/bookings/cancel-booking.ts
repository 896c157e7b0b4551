import { cancelBooking as contract } from '#contracts/bookings/cancel-booking.ts';
import { centsToDollars } from '#rules/money.ts';
import { cancelBooking as cancel, cancelOrder, type Cancellation } from '#server/operations/bookings/cancel.ts';
import type { BookingContext } from '#server/operations/bookings/context.ts';
import { defineHandler } from '../handler.ts';
import { signedIn } from '../requests.ts';
import { byHand } from '../responses.ts';

type Context = { booking: BookingContext };

export const cancelBooking = defineHandler(contract, async ({ booking }: Context, { caller, body }) => {
  const { userId } = signedIn(caller);
  if (!body.series) return describe(await cancel(booking, body.bookingId, userId));
  const { cancelled, kept, ...all } = await cancelOrder(booking, body.bookingId, userId);
  return { ...describe(all), bookings: cancelled, kept };
});

const describe = (done: Cancellation) => ({
  cancelled: true as const,
  refund: done.refund,
  amount: centsToDollars(done.amountCents),
  ...byHand(done),
});
