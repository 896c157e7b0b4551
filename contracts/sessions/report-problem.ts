import { z } from 'zod';
import { PROBLEM_CATEGORIES, REPORT_PHOTOS } from '#rules/business/feedback.ts';
import { defineCall } from '../core/define-call.ts';
import { bookingIdField, requestIdField } from '../core/fields.ts';

const fields = {
  bookingId: bookingIdField,
  description: z.string().trim().min(1).max(1000),
  photos: z
    .array(z.string().min(1).max(1024))
    .max(REPORT_PHOTOS)
    .default([])
    .describe('Names of objects in the bucket `incidents` that the caller has uploaded.'),
  requestId: requestIdField,
};

export const reportProblem = defineCall({
  name: 'report-problem',
  summary: 'Reports a problem or lost property of the caller’s own booking. Staff are alerted.',
  methods: ['POST'],
  callers: 'signed-in',
  limit: { max: 20, seconds: 3600 },
  body: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('problem'), category: z.enum(PROBLEM_CATEGORIES), ...fields }),
    z.object({ kind: z.literal('lost'), category: z.null().default(null), ...fields }),
  ]),
  answer: z.strictObject({ reportId: z.uuid() }),
  refusals: {
    not_found: { message: 'Booking not found' },
    not_confirmed: { message: 'This booking hasn’t been paid yet.' },
    too_early: { message: 'You can report something from 9:45 am (Sydney time).' },
    too_late: { message: 'That session was a while ago. Please email us.' },
  },
  example: {
    body: {
      bookingId: '55555555-5555-4555-8555-555555555555',
      kind: 'problem',
      category: 'sound',
      description: 'The left speaker has no bass.',
    },
    answer: { reportId: '66666666-6666-4666-8666-666666666666' },
  },
});
