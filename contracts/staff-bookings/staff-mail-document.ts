import { z } from 'zod';
import { defineCall } from '../core/define-call.ts';
import { bookingIdField } from '../core/fields.ts';

export const staffMailDocument = defineCall({
  name: 'staff-mail-document',
  summary: 'Mails the documents of a booking to its customer. The same `requestId` mails them once. The status is 202.',
  methods: ['POST'],
  callers: 'staff',
  permission: 'bookings',
  limit: { max: 30, seconds: 60 },
  body: z.object({ bookingId: bookingIdField, requestId: z.uuid() }),
  answer: z.strictObject({ queued: z.literal(true) }),
  refusals: {
    not_found: { message: 'There is no receipt for this booking.' },
    already_done: { message: 'This booking has no email address to send to.', reason: 'no_address' },
  },
  example: {
    body: {
      bookingId: '66666666-6666-4666-8666-666666666666',
      requestId: '77777777-7777-4777-8777-777777777777',
    },
    answer: { queued: true },
  },
});
