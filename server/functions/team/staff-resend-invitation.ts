import { staffResendInvitation as contract } from '#contracts/team/staff-resend-invitation.ts';
import { renewInvitation } from '#server/operations/staff/invitations.ts';
import { defineHandler } from '../handler.ts';
import { getActor } from '../requests.ts';

export const staffResendInvitation = defineHandler(contract, async (services, { caller, body }) => {
  const { invitationId, expiresAt } = await renewInvitation(services, body.invitationId, getActor(caller));
  return { invitationId, expiresAt: expiresAt.toISOString() };
});
