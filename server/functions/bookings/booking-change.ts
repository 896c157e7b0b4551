import type { z } from 'zod';
import type { changeAnswer } from '#contracts/bookings/booking-change.ts';
import { type Move, moveBooking, type Moved, type MoveQuote, quoteMove } from '#server/operations/bookings/move.ts';
import type { Services } from '#server/operations/core/services.ts';
import { accepted } from '../handler.ts';
import { byHand } from '../responses.ts';

type Answer = z.input<typeof changeAnswer>;

/** Makes a customer's change. With `preview` it only returns the price of the change. */
export const answerChange = async (services: Services, move: Move, { preview }: { preview: boolean }) =>
  preview ? describeQuote(await quoteMove(services, move)) : describeMove(await moveBooking(services, move));

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
