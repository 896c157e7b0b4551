import { z } from 'zod';
import { PERMISSIONS } from '#rules/permissions.ts';
import { defineCall } from '../core/define-call.ts';
import { permissionsField, sortPermissions } from './permissions-field.ts';

export const staffSetPermissions = defineCall({
  name: 'staff-set-permissions',
  summary:
    'Gives an account exactly these permissions, and answers with them. The first permission makes an account staff, ' +
    'and an empty list ends that. The last owner stays an owner.',
  methods: ['POST'],
  callers: 'staff',
  permission: 'owner',
  limit: { max: 60, seconds: 60 },
  body: z.object({ userId: z.uuid(), permissions: permissionsField.transform(sortPermissions) }),
  answer: z.strictObject({ userId: z.uuid(), permissions: z.array(z.enum(PERMISSIONS)) }),
  refusals: {
    not_found: { message: 'This account doesn’t exist.' },
    mail_unconfirmed: { message: 'This account has not confirmed its email address yet.' },
    last_owner: { message: 'This is the only owner. Make someone else an owner first.' },
  },
  example: {
    body: { userId: '11111111-1111-4111-8111-111111111111', permissions: ['bookings', 'money'] },
    answer: { userId: '11111111-1111-4111-8111-111111111111', permissions: ['bookings', 'money'] },
  },
});
