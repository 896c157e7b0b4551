import { z } from 'zod';
import { defineCall } from '../core/define-call.ts';

export const staffRemove = defineCall({
  name: 'staff-remove',
  summary:
    'Takes all permissions of an account away, at once. The account itself stays. The last owner cannot be removed.',
  methods: ['POST'],
  callers: 'staff',
  permission: 'owner',
  limit: { max: 60, seconds: 60 },
  body: z.object({ userId: z.uuid() }),
  answer: z.strictObject({ removed: z.literal(true) }),
  refusals: {
    not_found: { message: 'There is no such account.' },
    last_owner: { message: 'Make somebody else an owner first: there is no other.' },
  },
  example: { body: { userId: '11111111-1111-4111-8111-111111111111' }, answer: { removed: true } },
});
