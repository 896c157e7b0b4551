import { z } from 'zod';
import { defineCall } from '../core/define-call.ts';
import { instantField } from '../core/fields.ts';

export const staffReopen = defineCall({
  name: 'staff-reopen',
  summary:
    'Opens the hours of a closure that are not over: of one week, of that and the later weeks, or all. Idempotent.',
  methods: ['POST'],
  callers: 'staff',
  permission: 'bookings',
  limit: { max: 60, seconds: 60 },
  body: z
    .object({
      closureId: z.uuid(),
      startTime: instantField
        .nullable()
        .default(null)
        .describe('Opens only the week of the closure that starts at this instant. Null opens all that is left.'),
      following: z.boolean().default(false).describe('With `startTime`: opens the weeks after it too.'),
    })
    .refine(({ startTime, following }) => startTime !== null || !following, {
      path: ['startTime'],
      message: 'following needs the start of a week',
    }),
  answer: z.strictObject({ closureId: z.uuid(), reopened: z.literal(true) }),
  refusals: { not_found: { message: 'This closure has no week that starts then' } },
  example: {
    body: { closureId: '77777777-7777-4777-8777-777777777777', startTime: '2031-05-09T00:00:00Z', following: true },
    answer: { closureId: '77777777-7777-4777-8777-777777777777', reopened: true },
  },
});
