import { staffInvite as contract } from '#contracts/team/staff-invite.ts';
import type { LinkSigner } from '#server/crypto/link-signer.ts';
import type { BookingContext } from '#server/operations/bookings/context.ts';
import { inviteStaff } from '#server/operations/staff/invitations.ts';
import { defineHandler } from '../handler.ts';
import { actorOf } from '../requests.ts';

type Services = { readonly booking: BookingContext; readonly links: LinkSigner };

export const staffInvite = defineHandler(contract, async ({ booking, links }: Services, { caller, body }) => {
  const { invitationId, expiresAt } = await inviteStaff({ ...booking, links }, body, actorOf(caller));
  return { invitationId, expiresAt: expiresAt.toISOString() };
});
