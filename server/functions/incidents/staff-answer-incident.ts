import { staffAnswerIncident as contract } from '#contracts/incidents/staff-answer-incident.ts';
import type { BookingContext } from '#server/operations/bookings/context.ts';
import { answerIncident } from '#server/operations/incidents/answer-incident.ts';
import { defineHandler } from '../handler.ts';
import { actorOf } from '../requests.ts';

type Context = { readonly booking: BookingContext };

export const staffAnswerIncident = defineHandler(contract, async ({ booking }: Context, { caller, body }) => {
  await answerIncident(booking, body, actorOf(caller));
  return { state: body.state };
});
