import { rescheduleBooking as contract } from '#contracts/bookings/reschedule-booking.ts';
import type { BookingContext } from '#server/operations/bookings/context.ts';
import { defineHandler } from '../handler.ts';
import { signedIn } from '../requests.ts';
import { answerChange } from './booking-change.ts';

type Context = { booking: BookingContext };

export const rescheduleBooking = defineHandler(contract, async ({ booking }: Context, { caller, body }) => {
  const { userId } = signedIn(caller);
  const { preview, differenceCents: shownCents, ...place } = body;
  const move = { ...place, shownCents, waive: false, actor: userId, customer: userId };
  return answerChange(booking, move, { preview });
});
