import { staffRefund as contract } from '#contracts/staff-bookings/staff-refund.ts';
import { refundForStaff } from '#server/operations/payments/refund-for-staff.ts';
import { readMoneyRight } from '#server/operations/staff/money-right.ts';
import { defineHandler } from '../handler.ts';
import { getActor } from '../requests.ts';
import { byHand } from '../responses.ts';

export const staffRefund = defineHandler(contract, async (services, { caller, body }) => {
  const money = await readMoneyRight(services, caller);
  const refund = await refundForStaff(services, { ...body, actor: getActor(caller), money });
  return { refundId: refund.refundId, refundCents: body.cents, ...byHand(refund) };
});
