import { z } from 'zod';
import { defineCall } from '../core/define-call.ts';

export const staffRevokeInvitation = defineCall({
  name: 'staff-revoke-invitation',
  summary: 'Revokes an open invitation. Its link no longer works.',
  methods: ['POST'],
  callers: 'staff',
  permission: 'owner',
  limit: { max: 60, seconds: 60 },
  body: z.object({ invitationId: z.uuid() }),
  answer: z.strictObject({ revoked: z.literal(true) }),
  refusals: {
    not_found: { message: 'We couldn’t find this invitation.' },
    already_done: { message: 'This invitation was accepted or revoked.' },
  },
  example: { body: { invitationId: '77777777-7777-4777-8777-777777777777' }, answer: { revoked: true } },
});
