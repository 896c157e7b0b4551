import { acceptStaffInvitation as contract } from '#contracts/account/accept-staff-invitation.ts';
import { acceptInvitation } from '#server/operations/staff/invitations.ts';
import { defineHandler } from '../handler.ts';
import { signedIn } from '../requests.ts';

export const acceptStaffInvitation = defineHandler(contract, async (services, { caller, body }) => ({
  permissions: await acceptInvitation(services, body.token, signedIn(caller).userId),
}));
