import { staffRevokeInvitation as contract } from '#contracts/team/staff-revoke-invitation.ts';
import { revokeInvitation } from '#server/operations/staff/invitations.ts';
import { defineHandler } from '../handler.ts';
import { getActor } from '../requests.ts';

export const staffRevokeInvitation = defineHandler(contract, async (services, { caller, body }) => {
  await revokeInvitation(services, body.invitationId, getActor(caller));
  return { revoked: true as const };
});
