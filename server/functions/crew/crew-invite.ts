import { z } from 'zod';
import { bookingIdField, requestIdField } from '#contracts/core/fields.ts';
import type { BookingContext } from '#server/operations/bookings/context.ts';
import { inviteCrew, renewCrewLink, revokeCrew } from '#server/operations/crew/links.ts';
import type { ServerFunction } from './function.ts';
import { parse, signedIn } from './requests.ts';
import { json } from './responses.ts';

const inviteSchema = z.object({
  bookingId: bookingIdField,
  /** An invitation that gets another link. */
  inviteId: z.uuid().nullable().default(null),
  requestId: requestIdField,
});
const revokeSchema = z.object({ inviteId: z.uuid() });

/** Invites one more guest to an own booking, or with `inviteId` makes another link for one: `{url, inviteId}`. The link is not stored and shown once. */
export function crewInvite({ booking }: { booking: BookingContext }): ServerFunction {
  return {
    methods: ['POST'],
    callers: 'signed-in',
    limit: { name: 'crew-invite', max: 20, seconds: 60 },
    async handle({ caller, body }) {
      const { userId } = signedIn(caller);
      const { bookingId, inviteId, requestId } = parse(inviteSchema, body);
      return json(
        inviteId === null
          ? await inviteCrew(booking, { bookingId, userId, requestId })
          : await renewCrewLink(booking, { inviteId, userId }),
      );
    },
  };
}

/** Takes an invitation to an own booking back: `{revoked: true, sawShared}`; `sawShared`: the guest has seen digits that still open the door. */
export function crewRevoke({ booking }: { booking: BookingContext }): ServerFunction {
  return {
    methods: ['POST'],
    callers: 'signed-in',
    limit: { name: 'crew-revoke', max: 30, seconds: 60 },
    async handle({ caller, body }) {
      const { userId } = signedIn(caller);
      const { sawShared } = await revokeCrew(booking, { userId, ...parse(revokeSchema, body) });
      return json({ revoked: true, sawShared });
    },
  };
}
