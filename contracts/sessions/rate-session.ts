import { z } from 'zod';
import { defineCall } from '../core/define-call.ts';
import { bookingIdField } from '../core/fields.ts';

const score = z.int().min(1).max(5);

export const rateSession = defineCall({
  name: 'rate-session',
  summary: 'Stores how the caller’s own session was. Another rating within a week takes its place.',
  methods: ['POST'],
  callers: 'signed-in',
  limit: { max: 20, seconds: 60 },
  body: z.object({
    bookingId: bookingIdField,
    score,
    words: z.string().trim().min(1).max(500).nullable().default(null),
  }),
  answer: z.strictObject({ score, words: z.string().nullable() }),
  refusals: {
    not_found: { message: 'Booking not found' },
    not_confirmed: { message: 'This booking hasn’t been paid yet.' },
    too_early: { message: 'You can tell us how it was once the session is over.' },
    too_late: { message: 'You can change a rating for a week. After that, please email us.' },
  },
  example: {
    body: { bookingId: '55555555-5555-4555-8555-555555555555', score: 5, words: 'Great sound.' },
    answer: { score: 5, words: 'Great sound.' },
  },
});
