import { z } from 'zod';
import { bookingIdField } from '../core/fields.ts';

/** What `send-booking-confirmation` and `send-access-code-email` share. */
export const queuedMail = {
  methods: ['POST'],
  callers: 'signed-in',
  limit: { name: 'queued-mail', max: 60, seconds: 60 },
  body: z.looseObject({
    bookingId: bookingIdField.nullish().describe('Without it, the caller’s newest confirmed booking.'),
  }),
  answer: z.strictObject({ queued: z.literal(true) }),
  refusals: { not_found: { message: 'Booking not found' } },
  example: { body: { bookingId: '66666666-6666-4666-8666-666666666666' }, answer: { queued: true } },
} as const;
