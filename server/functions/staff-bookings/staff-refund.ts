import { staffRefund as contract } from '#contracts/staff-bookings/staff-refund.ts';
import type { BookingContext } from '#server/operations/bookings/context.ts';
import { refundForStaff } from '#server/operations/payments/refund-for-staff.ts';
import { readMoneyRight } from '#server/operations/staff/money-right.ts';
import type { StaffContext } from '#server/operations/staff/require-permission.ts';
import { defineHandler } from '../handler.ts';
import { actorOf } from '../requests.ts';
import { byHand } from '../responses.ts';

type Services = { readonly booking: BookingContext; readonly staff: StaffContext };

export const staffRefund = defineHandler(contract, async ({ booking, staff }: Services, { caller, body }) => {
  const money = await readMoneyRight(staff, caller);
  const refund = await refundForStaff(booking, { ...body, actor: actorOf(caller), money });
  return { refundId: refund.refundId, refundCents: body.cents, ...byHand(refund) };
});
