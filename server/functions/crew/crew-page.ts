import { crewPage as contract } from '#contracts/crew/crew-page.ts';
import { readCrewPage } from '#server/operations/crew/guests.ts';
import { defineHandler } from '../handler.ts';
import { describeCrewPage } from './describe-crew-page.ts';

export const crewPage = defineHandler(contract, async (services, { body }) =>
  describeCrewPage(services, await readCrewPage(services, body.token)),
);
