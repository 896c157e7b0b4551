import { staffInvite as contract } from '#contracts/team/staff-invite.ts';
import { inviteStaff } from '#server/operations/staff/invitations.ts';
import { defineHandler } from '../handler.ts';
import { getActor } from '../requests.ts';

export const staffInvite = defineHandler(contract, async (services, { caller, body }) => {
  const { invitationId, expiresAt } = await inviteStaff(services, body, getActor(caller));
  return { invitationId, expiresAt: expiresAt.toISOString() };
});
