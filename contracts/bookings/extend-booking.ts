import { z } from 'zod';
import { defineCall } from '../core/define-call.ts';
import { instantField } from '../core/fields.ts';
import { changeAnswer, changeFields, changeRefusals } from './booking-change.ts';

export const extendBooking = defineCall({
  name: 'extend-booking',
  summary:
    'Lets the caller’s own booking end later, also during the session. It answers like `reschedule-booking`, and is ' +
    'refused if the hours are taken.',
  methods: ['POST'],
  callers: 'signed-in',
  limit: { max: 30, seconds: 60 },
  body: z.object({
    ...changeFields,
    hours: z.int().min(1).max(23),
    from: instantField
      .nullable()
      .default(null)
      .describe('The end on the customer’s screen. With it a repeated call does not add the hours again.'),
  }),
  answer: changeAnswer,
  refusals: changeRefusals,
  example: {
    body: {
      bookingId: '66666666-6666-4666-8666-666666666666',
      hours: 1,
      from: '2031-05-02T02:00:00Z',
      preview: true,
    },
    answer: { differenceCents: 4900, refundCents: 0, owedCents: 0, payUntil: '2031-05-01T00:15:00.000Z' },
  },
});
