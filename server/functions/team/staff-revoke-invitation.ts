import { staffRevokeInvitation as contract } from '#contracts/team/staff-revoke-invitation.ts';
import type { BookingContext } from '#server/operations/bookings/context.ts';
import { revokeInvitation } from '#server/operations/staff/invitations.ts';
import { defineHandler } from '../handler.ts';
import { actorOf } from '../requests.ts';

export const staffRevokeInvitation = defineHandler(
  contract,
  async ({ booking }: { booking: BookingContext }, { caller, body }) => {
    await revokeInvitation(booking, body.invitationId, actorOf(caller));
    return { revoked: true as const };
  },
);
