import { z } from 'zod';
import { defineCall } from '../core/define-call.ts';
import { bookingIdField } from '../core/fields.ts';

export const staffMarkPaid = defineCall({
  name: 'staff-mark-paid',
  summary:
    'Confirms a booking of staff whose mailed link has not been paid, because the customer paid in another way. The ' +
    'link is closed first. A series is confirmed as a whole. It also needs the permission `money`. A repeated call ' +
    'changes nothing and answers the same.',
  methods: ['POST'],
  callers: 'staff',
  permission: 'bookings',
  limit: { max: 60, seconds: 60 },
  body: z.object({ bookingId: bookingIdField }),
  answer: z.strictObject({ bookingId: z.uuid(), reference: z.string() }),
  refusals: {
    not_found: { message: 'Booking not found' },
    already_done: { message: 'This booking is already paid, so nothing was changed. Reload the booking.' },
    slot_taken: {
      message: 'This link was not paid in time, so the hours are free again. Book them again.',
    },
    payment_processing: {
      message: 'The customer is paying for this booking right now, so nothing was changed. Reload the booking.',
      bookingId: '66666666-6666-4666-8666-666666666666',
    },
    blocked: { message: 'This customer is blocked, so nothing was booked. Unblock them first.' },
  },
  example: {
    body: { bookingId: '66666666-6666-4666-8666-666666666666' },
    answer: { bookingId: '66666666-6666-4666-8666-666666666666', reference: '7KQM-4TXR' },
  },
});
