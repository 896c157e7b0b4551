import { staffRevokeInvitation as contract } from '#contracts/team/staff-revoke-invitation.ts';
import { revokeInvitation } from '#server/operations/staff/invitations.ts';
import { defineHandler } from '../handler.ts';
import { actorOf } from '../requests.ts';

export const staffRevokeInvitation = defineHandler(contract, async (services, { caller, body }) => {
  await revokeInvitation(services, body.invitationId, actorOf(caller));
  return { revoked: true as const };
});
