import { rescheduleBooking as contract } from '#contracts/bookings/reschedule-booking.ts';
import { defineHandler } from '../handler.ts';
import { signedIn } from '../requests.ts';
import { answerChange } from './booking-change.ts';

export const rescheduleBooking = defineHandler(contract, async (services, { caller, body }) => {
  const { userId } = signedIn(caller);
  const { preview, differenceCents: shownCents, ...place } = body;
  const move = { ...place, shownCents, waive: false, actor: userId, customer: userId };
  return answerChange(services, move, { preview });
});
