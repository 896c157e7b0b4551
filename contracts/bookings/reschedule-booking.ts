import { z } from 'zod';
import { defineCall } from '../core/define-call.ts';
import { spanFields } from '../core/fields.ts';
import { changeAnswer, changeFields, changeRefusals } from './booking-change.ts';

export const rescheduleBooking = defineCall({
  name: 'reschedule-booking',
  summary:
    'Moves the caller’s own booking to other hours or another room while its terms allow it. What the new hours ' +
    'cost less is refunded. If they cost more, they are held until the difference is paid. A repeated call ' +
    'changes nothing and answers the same.',
  methods: ['POST'],
  callers: 'signed-in',
  limit: { max: 30, seconds: 60 },
  body: z.object({ ...changeFields, ...spanFields }),
  answer: changeAnswer,
  refusals: changeRefusals,
  example: {
    body: {
      bookingId: '66666666-6666-4666-8666-666666666666',
      studioId: '55555555-5555-4555-8555-555555555555',
      startTime: '2031-05-03T00:00:00Z',
      endTime: '2031-05-03T02:00:00Z',
      differenceCents: 4900,
    },
    answer: {
      differenceCents: 4900,
      refundCents: 0,
      waitsUntil: '2031-05-01T00:15:00.000Z',
      url: 'https://pay.example.com/cs_2',
    },
  },
});
