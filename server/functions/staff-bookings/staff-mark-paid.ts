import { staffMarkPaid as contract } from '#contracts/staff-bookings/staff-mark-paid.ts';
import type { BookingContext } from '#server/operations/bookings/context.ts';
import { markPaid } from '#server/operations/staff/mark-paid.ts';
import { readMoneyRight } from '#server/operations/staff/money-right.ts';
import type { StaffContext } from '#server/operations/staff/require-permission.ts';
import { defineHandler } from '../handler.ts';
import { actorOf } from '../requests.ts';

type Services = { readonly booking: BookingContext; readonly staff: StaffContext };

export const staffMarkPaid = defineHandler(contract, async ({ booking, staff }: Services, { caller, body }) => {
  const { id, reference } = await markPaid(booking, {
    bookingId: body.bookingId,
    actor: actorOf(caller),
    money: await readMoneyRight(staff, caller),
  });
  return { bookingId: id, reference };
});
