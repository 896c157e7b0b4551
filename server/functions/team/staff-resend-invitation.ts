import { staffResendInvitation as contract } from '#contracts/team/staff-resend-invitation.ts';
import type { LinkSigner } from '#server/crypto/link-signer.ts';
import type { BookingContext } from '#server/operations/bookings/context.ts';
import { renewInvitation } from '#server/operations/staff/invitations.ts';
import { defineHandler } from '../handler.ts';
import { actorOf } from '../requests.ts';

type Services = { readonly booking: BookingContext; readonly links: LinkSigner };

export const staffResendInvitation = defineHandler(contract, async ({ booking, links }: Services, { caller, body }) => {
  const { invitationId, expiresAt } = await renewInvitation({ ...booking, links }, body.invitationId, actorOf(caller));
  return { invitationId, expiresAt: expiresAt.toISOString() };
});
