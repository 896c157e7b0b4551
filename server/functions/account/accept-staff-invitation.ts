import { acceptStaffInvitation as contract } from '#contracts/account/accept-staff-invitation.ts';
import type { BookingContext } from '#server/operations/bookings/context.ts';
import { acceptInvitation } from '#server/operations/staff/invitations.ts';
import { defineHandler } from '../handler.ts';
import { signedIn } from '../requests.ts';

type Context = { booking: BookingContext };

export const acceptStaffInvitation = defineHandler(contract, async ({ booking }: Context, { caller, body }) => ({
  permissions: await acceptInvitation(booking, body.token, signedIn(caller).userId),
}));
