import { z } from 'zod';
import { defineCall } from '../core/define-call.ts';
import { instantText, spanFields } from '../core/fields.ts';

export const holdHours = defineCall({
  name: 'hold-hours',
  summary:
    'Holds hours for the caller while the caller verifies an ID. When the hours are refused, they are not held, ' +
    'and the first customer to book them gets them.',
  methods: ['POST'],
  callers: 'signed-in',
  limit: { max: 20, seconds: 60 },
  body: z.object(spanFields),
  answer: z.strictObject({ heldUntil: instantText }),
  refusals: {
    blocked: { message: 'You can’t book with this account at the moment. Please email studio@example.com.' },
    mail_unconfirmed: { message: 'Please confirm your email address first.' },
    already_done: { message: 'Your ID is verified: you can book these hours.' },
    too_late: { message: 'These hours have already begun.' },
    slot_taken: { message: 'Someone else just booked this time. Please choose another.' },
    slot_closed: { message: 'The studio is closed at this time. Please choose another.' },
    too_many_holds: { message: 'We can’t hold these hours while you verify your ID.' },
  },
  example: {
    body: {
      studioId: '55555555-5555-4555-8555-555555555555',
      startTime: '2031-05-02T00:00:00Z',
      endTime: '2031-05-02T02:00:00Z',
    },
    answer: { heldUntil: '2031-05-01T00:10:00.000Z' },
  },
});
