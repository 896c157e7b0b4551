import { z } from 'zod';
import { customerSchema } from '#rules/people.ts';
import { defineCall } from '../core/define-call.ts';
import { instantText } from '../core/fields.ts';
import { permissionsField, sortPermissions } from './permissions-field.ts';

export const staffInvite = defineCall({
  name: 'staff-invite',
  summary:
    'Invites a person to the staff by mail. A repeated call sends no second mail while the invitation is open. An ' +
    'invitation with other permissions replaces the one before.',
  methods: ['POST'],
  callers: 'staff',
  permission: 'owner',
  limit: { max: 20, seconds: 3600 },
  body: z.object({
    email: customerSchema.shape.email.transform((text) => text.toLowerCase()),
    permissions: permissionsField.min(1).transform(sortPermissions),
  }),
  answer: z.strictObject({ invitationId: z.uuid(), expiresAt: instantText }),
  refusals: { already_done: { message: 'This person is already on the staff. You can change their permissions.' } },
  example: {
    body: { email: 'sam@example.com', permissions: ['bookings', 'identity'] },
    answer: { invitationId: '77777777-7777-4777-8777-777777777777', expiresAt: '2031-05-08T00:00:00.000Z' },
  },
});
