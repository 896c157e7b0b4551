import { z } from 'zod';
import { defineCall } from '../core/define-call.ts';
import { bookingIdField } from '../core/fields.ts';
import { bookingStatusField } from './booking-status.ts';

export const releaseHold = defineCall({
  name: 'release-hold',
  summary:
    'Releases hours that the caller holds and has not paid for, with all of their series, so that others can book them.',
  methods: ['POST'],
  callers: 'signed-in',
  limit: { max: 60, seconds: 60 },
  body: z.object({ bookingId: bookingIdField }),
  answer: z.strictObject({
    released: z
      .boolean()
      .describe('False if the booking is paid, or if its payment can still be completed at the provider.'),
    status: bookingStatusField,
    couponCode: z.string().nullable().describe('The discount code that the hold had.'),
  }),
  refusals: {
    not_found: { message: 'Booking not found' },
    payment_processing: {
      message: 'Your payment for this booking is being processed. We’ll email you as soon as we know.',
      bookingId: '66666666-6666-4666-8666-666666666666',
    },
  },
  example: {
    body: { bookingId: '66666666-6666-4666-8666-666666666666' },
    answer: { released: true, status: 'cancelled', couponCode: null },
  },
});
