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
    not_found: { message: 'This account doesn’t exist.' },
    last_owner: { message: 'This is the only owner. Make someone else an owner first.' },
  },
  example: { body: { userId: '11111111-1111-4111-8111-111111111111' }, answer: { removed: true } },
});
