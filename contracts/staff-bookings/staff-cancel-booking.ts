import { z } from 'zod';
import { defineCall } from '../core/define-call.ts';
import { bookingIdField, byHandField, centsField, reasonField, undoField } from '../core/fields.ts';

export const staffCancelBooking = defineCall({
  name: 'staff-cancel-booking',
  summary:
    'Cancels a booking, or releases hours that wait for payment. A refund that differs from the terms of the booking ' +
    'also needs the permission `money`. Repeating the same decision changes nothing and answers the same; another ' +
    'decision about a cancelled booking is refused.',
  methods: ['POST'],
  callers: 'staff',
  permission: 'bookings',
  limit: { max: 60, seconds: 60 },
  body: z.object({
    bookingId: bookingIdField,
    refund: z
      .union([z.enum(['full', 'none', 'terms']), z.int().min(0)])
      .describe('All that is left, nothing, what the terms of the booking give, or an amount in cents.'),
    reason: reasonField,
    undoable: z.boolean().default(false).describe('Delays mail and refund for some seconds. See `undo` in the answer.'),
    series: z
      .boolean()
      .default(false)
      .describe('Cancels every booking of the series that is not over. `refund` cannot be an amount then.'),
  }),
  answer: z.strictObject({
    refundCents: centsField,
    byHand: byHandField,
    undo: undoField,
    cancelled: z.int().positive().optional().describe('With `series`: how many bookings were cancelled.'),
  }),
  refusals: {
    not_found: { message: 'Booking not found' },
    already_done: { message: 'This booking is already cancelled.', refundCents: 9800 },
    too_late: { message: 'This booking has ended. You can refund it, but not cancel it.' },
    payment_processing: {
      message: 'The customer is paying for this booking right now, so nothing was changed. Reload the booking.',
      bookingId: '66666666-6666-4666-8666-666666666666',
    },
    coupon_exhausted: { message: 'Someone else has used the discount code in the meantime.' },
  },
  example: {
    body: {
      bookingId: '66666666-6666-4666-8666-666666666666',
      refund: 'full',
      reason: 'The mixer is broken',
      undoable: true,
    },
    answer: {
      refundCents: 9800,
      undo: { id: '77777777-7777-4777-8777-777777777777', until: '2031-05-01T00:00:10.000Z' },
    },
  },
});
