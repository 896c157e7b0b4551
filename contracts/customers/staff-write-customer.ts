import { z } from 'zod';
import { letterSchema } from '#rules/letter.ts';
import { defineCall } from '../core/define-call.ts';

export const staffWriteCustomer = defineCall({
  name: 'staff-write-customer',
  summary:
    'Mails a customer a letter of staff. Replies go to the address of the business. The same `messageId` sends one ' +
    'mail. The status is 202.',
  methods: ['POST'],
  callers: 'staff',
  permission: 'bookings',
  limit: { max: 60, seconds: 60 },
  body: letterSchema.extend({ messageId: z.uuid(), userId: z.uuid() }),
  answer: z.strictObject({ queued: z.literal(true) }),
  refusals: {
    not_found: { message: 'Customer not found' },
    already_done: { message: 'This email was already sent with a different text. Write a new one.' },
  },
  example: {
    body: {
      messageId: '77777777-7777-4777-8777-777777777777',
      userId: '11111111-1111-4111-8111-111111111111',
      subject: 'Your bag',
      body: 'We found it under the desk.',
    },
    answer: { queued: true },
  },
});
