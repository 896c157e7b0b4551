import { staffMarkPaid as contract } from '#contracts/staff-bookings/staff-mark-paid.ts';
import { markPaid } from '#server/operations/staff/mark-paid.ts';
import { readMoneyRight } from '#server/operations/staff/money-right.ts';
import { defineHandler } from '../handler.ts';
import { getActor } from '../requests.ts';

export const staffMarkPaid = defineHandler(contract, async (services, { caller, body }) => {
  const { id, reference } = await markPaid(services, {
    bookingId: body.bookingId,
    actor: getActor(caller),
    money: await readMoneyRight(services, caller),
  });
  return { bookingId: id, reference };
});
