import { extendBooking as contract } from '#contracts/bookings/extend-booking.ts';
import { readExtendingMove } from '#server/operations/bookings/move.ts';
import { defineHandler } from '../handler.ts';
import { signedIn } from '../requests.ts';
import { answerChange } from './booking-change.ts';

export const extendBooking = defineHandler(contract, async (services, { caller, body }) => {
  const { userId } = signedIn(caller);
  const { preview, differenceCents: shownCents, ...extension } = body;
  const move = await readExtendingMove(services, { ...extension, shownCents, customer: userId });
  return answerChange(services, move, { preview });
});
