import { staffAnswerIncident as contract } from '#contracts/incidents/staff-answer-incident.ts';
import { answerIncident } from '#server/operations/incidents/answer-incident.ts';
import { defineHandler } from '../handler.ts';
import { getActor } from '../requests.ts';

export const staffAnswerIncident = defineHandler(contract, async (services, { caller, body }) => {
  await answerIncident(services, body, getActor(caller));
  return { state: body.state };
});
