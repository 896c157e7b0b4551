import { crewInvite as contract } from '#contracts/crew/crew-invite.ts';
import { inviteCrew, renewCrewLink } from '#server/operations/crew/links.ts';
import { defineHandler } from '../handler.ts';
import { signedIn } from '../requests.ts';

export const crewInvite = defineHandler(contract, async (services, { caller, body }) => {
  const { userId } = signedIn(caller);
  const { bookingId, inviteId, requestId } = body;
  return inviteId === null
    ? inviteCrew(services, { bookingId, userId, requestId })
    : renewCrewLink(services, { inviteId, userId });
});
