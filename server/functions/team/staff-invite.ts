import { staffInvite as contract } from '#contracts/team/staff-invite.ts';
import { inviteStaff } from '#server/operations/staff/invitations.ts';
import { defineHandler } from '../handler.ts';
import { actorOf } from '../requests.ts';

export const staffInvite = defineHandler(contract, async (services, { caller, body }) => {
  const { invitationId, expiresAt } = await inviteStaff(services, body, actorOf(caller));
  return { invitationId, expiresAt: expiresAt.toISOString() };
});
