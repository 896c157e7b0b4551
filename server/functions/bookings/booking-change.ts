import type { z } from 'zod';
import type { changeAnswer } from '#contracts/bookings/booking-change.ts';
import type { BookingContext } from '#server/operations/bookings/context.ts';
import { type Move, moveBooking, type Moved, type MoveQuote, quoteMove } from '#server/operations/bookings/move.ts';
import { accepted } from '../handler.ts';
import { byHand } from '../responses.ts';

type Answer = z.input<typeof changeAnswer>;

/** Makes a customer's change, or with `preview` only returns what it would cost. */
export const answerChange = async (booking: BookingContext, move: Move, { preview }: { preview: boolean }) =>
  preview ? describeQuote(await quoteMove(booking, move)) : describeMove(await moveBooking(booking, move));

function describeQuote({ differenceCents, refundCents, linkUntil, owedCents, ...quote }: MoveQuote): Answer {
  const until = linkUntil === null ? {} : { payUntil: linkUntil.toISOString() };
  return { differenceCents, refundCents, owedCents, ...byHand(quote), ...until };
}

function describeMove({ waiting, differenceCents, refundCents, ...rest }: Moved) {
  const answer = { differenceCents, refundCents, ...byHand(rest) };
  if (waiting === null) return answer;
  const { url, until, cardProblem } = waiting;
  const held: Answer = { ...answer, waitsUntil: until.toISOString(), ...(cardProblem && { cardProblem }) };
  return url === null ? accepted<Answer>({ ...held, pending: true }) : { ...held, url };
}
