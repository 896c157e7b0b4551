import { z } from 'zod';
import { customerSchema } from '#rules/people.ts';
import { PERMISSIONS } from '#rules/permissions.ts';
import type { LinkSigner } from '#server/crypto/link-signer.ts';
import type { BookingContext } from '#server/operations/bookings/context.ts';
import {
  type Invitation,
  inviteStaff,
  renewInvitation,
  revokeInvitation,
} from '#server/operations/staff/invitations.ts';
import { actorOf, parse } from './requests.ts';
import { json } from './responses.ts';
import type { ServerFunction } from './function.ts';

const OWNERS = { methods: ['POST'], callers: 'staff', permission: 'owner' } as const;
const bodySchema = z.object({
  email: customerSchema.shape.email.transform((text) => text.toLowerCase()),
  permissions: z
    .array(z.enum(PERMISSIONS))
    .min(1)
    .transform((given) => PERMISSIONS.filter((one) => given.includes(one))),
});
const idSchema = z.object({ invitationId: z.uuid() });
const answer = ({ invitationId, expiresAt }: Invitation): Response =>
  json({ invitationId, expiresAt: expiresAt.toISOString() });
type Context = { readonly booking: BookingContext; readonly links: LinkSigner };

/** Invites an address to become staff with these permissions, by mail: `{invitationId, expiresAt}`. */
export function staffInvite({ booking, links }: Context): ServerFunction {
  return {
    ...OWNERS,
    limit: { name: 'staff-invite', max: 20, seconds: 3600 },
    async handle({ caller, body }) {
      return answer(await inviteStaff({ ...booking, links }, parse(bodySchema, body), actorOf(caller)));
    },
  };
}

/** Mails an open invitation again; its earlier link ends: `{invitationId, expiresAt}`. */
export function staffResendInvitation({ booking, links }: Context): ServerFunction {
  return {
    ...OWNERS,
    limit: { name: 'staff-resend-invitation', max: 20, seconds: 3600 },
    async handle({ caller, body }) {
      const { invitationId } = parse(idSchema, body);
      return answer(await renewInvitation({ ...booking, links }, invitationId, actorOf(caller)));
    },
  };
}

/** Ends an open invitation: `{revoked: true}`. */
export function staffRevokeInvitation({ booking }: Context): ServerFunction {
  return {
    ...OWNERS,
    limit: { name: 'staff-revoke-invitation', max: 60, seconds: 60 },
    async handle({ caller, body }) {
      await revokeInvitation(booking, parse(idSchema, body).invitationId, actorOf(caller));
      return json({ revoked: true });
    },
  };
}
