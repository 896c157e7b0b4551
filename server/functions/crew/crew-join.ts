import { crewJoin as contract } from '#contracts/crew/crew-join.ts';
import type { AccessContext } from '#server/operations/access/context.ts';
import { joinCrew } from '#server/operations/crew/guests.ts';
import { defineHandler } from '../handler.ts';
import { describeCrewPage } from './describe-crew-page.ts';

export const crewJoin = defineHandler(contract, async ({ access }: { access: AccessContext }, { body }) =>
  describeCrewPage(access, await joinCrew(access, body)),
);
