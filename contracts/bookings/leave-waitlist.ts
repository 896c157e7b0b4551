import { z } from 'zod';
import { defineCall } from '../core/define-call.ts';

export const leaveWaitlist = defineCall({
  name: 'leave-waitlist',
  summary:
    'Takes the caller off the wait list. Hours that the caller could claim are offered to the next person. A ' +
    'repeated call changes nothing.',
  methods: ['POST'],
  callers: 'signed-in',
  limit: { max: 30, seconds: 60 },
  body: z.object({ entryId: z.uuid() }),
  answer: z.strictObject({ left: z.literal(true) }),
  refusals: { not_found: { message: 'You aren’t on the wait list for these hours.' } },
  example: { body: { entryId: '77777777-7777-4777-8777-777777777777' }, answer: { left: true } },
});
