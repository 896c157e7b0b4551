import { z } from 'zod';
import { defineCall } from '../core/define-call.ts';
import { noBody } from '../core/fields.ts';

export const processScheduledEmails = defineCall({
  name: 'process-scheduled-emails',
  summary: 'Runs the jobs that are due.',
  methods: ['POST'],
  callers: 'staff',
  permission: 'bookings',
  limit: { max: 60, seconds: 60 },
  body: noBody,
  answer: z.strictObject({ processed: z.int().nonnegative().describe('How many jobs were run.') }),
  refusals: {},
  example: { body: {}, answer: { processed: 3 } },
});
