import { staffCreateBooking as contract } from '#contracts/staff-bookings/staff-create-booking.ts';
import { bookForStaff } from '#server/operations/bookings/book-for-staff.ts';
import type { BookingContext } from '#server/operations/bookings/context.ts';
import { readMoneyRight } from '#server/operations/staff/money-right.ts';
import type { StaffContext } from '#server/operations/staff/require-permission.ts';
import { accepted, defineHandler } from '../handler.ts';
import { actorOf } from '../requests.ts';

type Services = { readonly booking: BookingContext; readonly staff: StaffContext };

export const staffCreateBooking = defineHandler(contract, async ({ booking, staff }: Services, { caller, body }) => {
  const money = await readMoneyRight(staff, caller);
  const made = await bookForStaff(booking, { ...body, actor: actorOf(caller), money });
  const { bookingId, reference, url, pending } = made;
  if (pending) return accepted({ bookingId, reference, pending });
  return { bookingId, reference, ...(url === null ? {} : { url }) };
});
