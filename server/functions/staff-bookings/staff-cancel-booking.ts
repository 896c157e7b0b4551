import { staffCancelBooking as contract } from '#contracts/staff-bookings/staff-cancel-booking.ts';
import { cancelForStaff, cancelSeriesForStaff } from '#server/operations/bookings/cancel-for-staff.ts';
import { Refusal } from '#server/operations/core/refusal.ts';
import { readMoneyRight } from '#server/operations/staff/money-right.ts';
import { defineHandler } from '../handler.ts';
import { getActor } from '../requests.ts';
import { byHand, toUndo } from '../responses.ts';

export const staffCancelBooking = defineHandler(contract, async (services, { caller, body }) => {
  const { series, ...request } = body;
  const decision = { ...request, actor: getActor(caller), money: await readMoneyRight(services, caller) };
  if (!series) {
    const done = await cancelForStaff(services, decision);
    return { refundCents: done.refundCents, ...byHand(done), ...toUndo(done) };
  }
  const done = await cancelSeriesForStaff(services, { ...decision, refund: wholeRefund(request.refund) });
  return { refundCents: done.refundCents, ...byHand(done), cancelled: done.cancelled };
});

/** Throws `Refusal` for a refund in cents, because an amount applies to a single booking. */
function wholeRefund<Refund extends string>(refund: Refund | number): Refund {
  if (typeof refund === 'number')
    throw new Refusal('invalid_request', 'Refund a series fully, by its terms, or not at all.', { field: 'refund' });
  return refund;
}
