import { z } from 'zod';
import { defineCall } from '../core/define-call.ts';
import { bookingIdField } from '../core/fields.ts';

export const staffSendMail = defineCall({
  name: 'staff-send-mail',
  summary:
    'Sends a mail about a booking again, with its present content. It is refused if the mail would no longer be ' +
    'true. The same `requestId` sends it once. The status is 202.',
  methods: ['POST'],
  callers: 'staff',
  permission: 'bookings',
  limit: { max: 60, seconds: 60 },
  body: z.object({
    bookingId: bookingIdField,
    mailId: z.uuid().describe('As `rpc/booking_details` lists it.'),
    requestId: z.uuid(),
  }),
  answer: z.strictObject({ queued: z.literal(true) }),
  refusals: {
    not_found: { message: 'This booking has no such email.' },
    already_done: { message: 'The booking is no longer confirmed.', reason: 'cancelled' },
    code_held: {
      message:
        'The access code of this booking is on hold because its payment is disputed. Decide about the dispute first.',
    },
  },
  example: {
    body: {
      bookingId: '66666666-6666-4666-8666-666666666666',
      mailId: '77777777-7777-4777-8777-777777777777',
      requestId: '88888888-8888-4888-8888-888888888888',
    },
    answer: { queued: true },
  },
});
