import { createPayment as contract } from '#contracts/bookings/create-payment.ts';
import { centsToDollars } from '#rules/money.ts';
import { holdBooking } from '#server/operations/bookings/hold.ts';
import { accepted, defineHandler } from '../handler.ts';
import { signedIn } from '../requests.ts';

export const createPayment = defineHandler(contract, async (services, { caller, body }) => {
  const { userId, email } = signedIn(caller);
  const { url, bookingId, reference, totalCents } = await holdBooking(services, {
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
