import { crewPage as contract } from '#contracts/crew/crew-page.ts';
import type { AccessContext } from '#server/operations/access/context.ts';
import { readCrewPage } from '#server/operations/crew/guests.ts';
import { defineHandler } from '../handler.ts';
import { describeCrewPage } from './describe-crew-page.ts';

export const crewPage = defineHandler(contract, async ({ access }: { access: AccessContext }, { body }) =>
  describeCrewPage(access, await readCrewPage(access, body.token)),
);
