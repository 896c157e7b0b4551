import { z } from 'zod';
import { defineCall } from '../core/define-call.ts';
import { bookingIdField, byHandField, centsField, reasonField, requestIdField } from '../core/fields.ts';

export const staffRefund = defineCall({
  name: 'staff-refund',
  summary:
    'Refunds a part of what was paid for a booking, and leaves the booking as it is. A repeated call makes no second ' +
    'refund. To refund the same amount for the same reason twice, give each refund its own `requestId`.',
  methods: ['POST'],
  callers: 'staff',
  permission: 'money',
  limit: { max: 60, seconds: 60 },
  body: z.object({
    bookingId: bookingIdField,
    cents: z.int().min(1),
    reason: reasonField,
    requestId: requestIdField,
  }),
  answer: z.strictObject({
    refundId: z.uuid().describe('If the refund was divided among several payments, this is the first part.'),
    refundCents: centsField,
    byHand: byHandField,
  }),
  refusals: {
    not_found: { message: 'Booking not found' },
    already_done: { message: 'This request already refunded another amount.', refundCents: 3000 },
  },
  example: {
    body: {
      bookingId: '66666666-6666-4666-8666-666666666666',
      cents: 2000,
      reason: 'The mixer was broken',
      requestId: '77777777-7777-4777-8777-777777777777',
    },
    answer: { refundId: '88888888-8888-4888-8888-888888888888', refundCents: 2000 },
  },
});
