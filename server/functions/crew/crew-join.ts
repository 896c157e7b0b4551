import { crewJoin as contract } from '#contracts/crew/crew-join.ts';
import { joinCrew } from '#server/operations/crew/guests.ts';
import { defineHandler } from '../handler.ts';
import { describeCrewPage } from './describe-crew-page.ts';

export const crewJoin = defineHandler(contract, async (services, { body }) =>
  describeCrewPage(services, await joinCrew(services, body)),
);
