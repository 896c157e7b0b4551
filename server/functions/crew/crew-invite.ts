import { crewInvite as contract } from '#contracts/crew/crew-invite.ts';
import type { BookingContext } from '#server/operations/bookings/context.ts';
import { inviteCrew, renewCrewLink } from '#server/operations/crew/links.ts';
import { defineHandler } from '../handler.ts';
import { signedIn } from '../requests.ts';

export const crewInvite = defineHandler(
  contract,
  async ({ booking }: { booking: BookingContext }, { caller, body }) => {
    const { userId } = signedIn(caller);
    const { bookingId, inviteId, requestId } = body;
    return inviteId === null
      ? inviteCrew(booking, { bookingId, userId, requestId })
      : renewCrewLink(booking, { inviteId, userId });
  },
);
