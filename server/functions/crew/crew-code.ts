import { crewCode as contract } from '#contracts/crew/crew-code.ts';
import type { AccessContext } from '#server/operations/access/context.ts';
import { makeGuestCode } from '#server/operations/crew/guest-codes.ts';
import { requireJoined } from '#server/operations/crew/guests.ts';
import { defineHandler } from '../handler.ts';
import { describeCrewPage } from './describe-crew-page.ts';

export const crewCode = defineHandler(contract, async ({ access }: { access: AccessContext }, { body }) => {
  const page = await requireJoined(access, body.token);
  await makeGuestCode(access, page);
  return describeCrewPage(access, page);
});
