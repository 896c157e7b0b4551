import { staffCreateBooking as contract } from '#contracts/staff-bookings/staff-create-booking.ts';
import { bookForStaff } from '#server/operations/bookings/book-for-staff.ts';
import { readMoneyRight } from '#server/operations/staff/money-right.ts';
import { accepted, defineHandler } from '../handler.ts';
import { actorOf } from '../requests.ts';

export const staffCreateBooking = defineHandler(contract, async (services, { caller, body }) => {
  const money = await readMoneyRight(services, caller);
  const made = await bookForStaff(services, { ...body, actor: actorOf(caller), money });
  const { bookingId, reference, status, url, pending } = made;
  if (pending) return accepted({ bookingId, reference, status, pending });
  return { bookingId, reference, status, ...(url === null ? {} : { url }) };
});
