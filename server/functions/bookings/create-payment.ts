import { createPayment as contract } from '#contracts/bookings/create-payment.ts';
import { centsToDollars } from '#rules/money.ts';
import type { BookingContext } from '#server/operations/bookings/context.ts';
import { holdBooking } from '#server/operations/bookings/hold.ts';
import { accepted, defineHandler } from '../handler.ts';
import { signedIn } from '../requests.ts';

type Context = { booking: BookingContext };

export const createPayment = defineHandler(contract, async ({ booking }: Context, { caller, body }) => {
  const { userId, email } = signedIn(caller);
  const { url, bookingId, reference, totalCents } = await holdBooking(booking, {
    userId,
    ip: caller.ip,
    email,
    ...body,
  });
  const total = centsToDollars(totalCents);
  return url === null
    ? accepted({ url, pending: true, bookingId, reference, total })
    : { url, bookingId, reference, total };
});
