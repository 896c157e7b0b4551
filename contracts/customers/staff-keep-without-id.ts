import { z } from 'zod';
import { defineCall } from '../core/define-call.ts';
import { bookingIdField, reasonField } from '../core/fields.ts';

export const staffKeepWithoutId = defineCall({
  name: 'staff-keep-without-id',
  summary:
    'Allows a session although its customer has lost the ID check. Without a decision the booking is cancelled ' +
    'before it starts. Idempotent.',
  methods: ['POST'],
  callers: 'staff',
  permission: 'identity',
  limit: { max: 60, seconds: 60 },
  body: z.object({ bookingId: bookingIdField, reason: reasonField }),
  answer: z.strictObject({ kept: z.literal(true) }),
  refusals: {
    not_found: { message: 'This booking has no ID decision to make.' },
    already_done: { message: 'This booking is already cancelled.' },
  },
  example: {
    body: { bookingId: '66666666-6666-4666-8666-666666666666', reason: 'We know this customer' },
    answer: { kept: true },
  },
});
