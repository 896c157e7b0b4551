import { z } from 'zod';
import { defineCall } from '../core/define-call.ts';
import { instantText } from '../core/fields.ts';

export const staffResendInvitation = defineCall({
  name: 'staff-resend-invitation',
  summary: 'Mails an open invitation again, with a new link. The link before it no longer works.',
  methods: ['POST'],
  callers: 'staff',
  permission: 'owner',
  limit: { max: 20, seconds: 3600 },
  body: z.object({ invitationId: z.uuid() }),
  answer: z.strictObject({ invitationId: z.uuid(), expiresAt: instantText }),
  refusals: {
    not_found: { message: 'We couldn’t find this invitation.' },
    already_done: { message: 'This invitation was accepted or revoked.' },
  },
  example: {
    body: { invitationId: '77777777-7777-4777-8777-777777777777' },
    answer: { invitationId: '77777777-7777-4777-8777-777777777777', expiresAt: '2031-05-08T00:00:00.000Z' },
  },
});
