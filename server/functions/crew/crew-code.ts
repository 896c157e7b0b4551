import { crewCode as contract } from '#contracts/crew/crew-code.ts';
import { makeGuestCode } from '#server/operations/crew/guest-codes.ts';
import { requireJoined } from '#server/operations/crew/guests.ts';
import { defineHandler } from '../handler.ts';
import { describeCrewPage } from './describe-crew-page.ts';

export const crewCode = defineHandler(contract, async (services, { body }) => {
  const page = await requireJoined(services, body.token);
  await makeGuestCode(services, page);
  return describeCrewPage(services, page);
});
