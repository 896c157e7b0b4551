import { cancelBooking as contract } from '#contracts/bookings/cancel-booking.ts';
import { centsToDollars } from '#rules/money.ts';
import { cancelBooking as cancel, cancelSeries, type Cancellation } from '#server/operations/bookings/cancel.ts';
import { defineHandler } from '../handler.ts';
import { signedIn } from '../requests.ts';
import { byHand } from '../responses.ts';

export const cancelBooking = defineHandler(contract, async (services, { caller, body }) => {
  const { userId } = signedIn(caller);
  if (!body.series) return describe(await cancel(services, body.bookingId, userId));
  const { cancelled, kept, ...all } = await cancelSeries(services, body.bookingId, userId);
  return { ...describe(all), bookings: cancelled, kept };
});

const describe = (done: Cancellation) => ({
  cancelled: true as const,
  refund: done.refund,
  amount: centsToDollars(done.amountCents),
  ...byHand(done),
});
