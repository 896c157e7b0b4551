import { z } from 'zod';
import { defineCall } from '../core/define-call.ts';
import { bookingIdField, byHandField } from '../core/fields.ts';

export const cancelBooking = defineCall({
  name: 'cancel-booking',
  summary:
    'Cancels the caller’s own booking while its terms allow it. With `series` it cancels every booking of the series ' +
    'that can still be cancelled.',
  methods: ['POST'],
  callers: 'signed-in',
  limit: { max: 30, seconds: 60 },
  body: z.object({ bookingId: bookingIdField, series: z.boolean().default(false) }),
  answer: z.strictObject({
    cancelled: z.literal(true),
    refund: z
      .enum(['full', 'part', 'none'])
      .describe(
        '`full`: all that was left of what was paid. `part`: some of it stays, because it is in dispute, or with ' +
          '`series` because it is too late to cancel some bookings.',
      ),
    amount: z.number().describe('What is refunded, in dollars.'),
    byHand: byHandField,
    bookings: z.int().positive().optional().describe('With `series`: how many bookings were cancelled.'),
    kept: z.int().nonnegative().optional().describe('With `series`: how many bookings it is too late to cancel.'),
  }),
  refusals: {
    not_found: { message: 'Booking not found' },
    already_done: { message: 'This booking is already cancelled.' },
    not_confirmed: { message: 'This booking hasn’t been paid yet.' },
    too_late: { message: 'Bookings can be cancelled up to 24 hours before the start. Please contact us instead.' },
  },
  example: {
    body: { bookingId: '66666666-6666-4666-8666-666666666666' },
    answer: { cancelled: true, refund: 'full', amount: 98 },
  },
});
