import { z } from 'zod';
import { GRACE_DAYS, GRACE_DAYS_MAX, PERMISSIONS } from '#rules/permissions.ts';
import { defineCall } from '../core/define-call.ts';
import { permissionsField, sortPermissions } from './permissions-field.ts';

export const staffSetSecondFactor = defineCall({
  name: 'staff-set-second-factor',
  summary:
    'Sets exactly the permissions that need a sign-in with a second factor, and answers with them. An empty list ' +
    'ends every such rule. Staff who have no second factor get a mail, and can work without one for `graceDays`. An ' +
    'owner who sets a rule must have signed in with a second factor.',
  methods: ['POST'],
  callers: 'staff',
  permission: 'owner',
  limit: { max: 60, seconds: 60 },
  body: z.object({
    permissions: permissionsField.transform(sortPermissions),
    graceDays: z.int().min(0).max(GRACE_DAYS_MAX).default(GRACE_DAYS),
  }),
  answer: z.strictObject({ permissions: z.array(z.enum(PERMISSIONS)) }),
  refusals: {},
  example: { body: { permissions: ['money'], graceDays: 7 }, answer: { permissions: ['money'] } },
});
