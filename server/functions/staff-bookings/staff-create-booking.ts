import { staffCreateBooking as contract } from '#contracts/staff-bookings/staff-create-booking.ts';
import { bookForStaff } from '#server/operations/bookings/book-for-staff.ts';
import { readMoneyRight } from '#server/operations/staff/money-right.ts';
import { accepted, defineHandler } from '../handler.ts';
import { getActor } from '../requests.ts';

export const staffCreateBooking = defineHandler(contract, async (services, { caller, body }) => {
  const money = await readMoneyRight(services, caller);
  const booked = await bookForStaff(services, { ...body, actor: getActor(caller), money });
  const { bookingId, reference, status, url, pending } = booked;
  if (pending) return accepted({ bookingId, reference, status, pending });
  return { bookingId, reference, status, ...(url === null ? {} : { url }) };
});
