import { extendBooking as contract } from '#contracts/bookings/extend-booking.ts';
import type { BookingContext } from '#server/operations/bookings/context.ts';
import { readExtendingMove } from '#server/operations/bookings/move.ts';
import { defineHandler } from '../handler.ts';
import { signedIn } from '../requests.ts';
import { answerChange } from './booking-change.ts';

type Context = { booking: BookingContext };

export const extendBooking = defineHandler(contract, async ({ booking }: Context, { caller, body }) => {
  const { userId } = signedIn(caller);
  const { preview, differenceCents: shownCents, ...extension } = body;
  const move = await readExtendingMove(booking, { ...extension, shownCents, customer: userId });
  return answerChange(booking, move, { preview });
});
