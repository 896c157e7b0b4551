import { z } from 'zod';
import { LOST_OUTCOMES } from '#rules/business/feedback.ts';
import { defineCall } from '../core/define-call.ts';

const state = z.enum(['in_progress', 'done']);

export const staffAnswerIncident = defineCall({
  name: 'staff-answer-incident',
  summary: 'Answers the report of a customer, who gets an email. The same answer again changes and sends nothing.',
  methods: ['POST'],
  callers: 'staff',
  permission: 'bookings',
  limit: { max: 60, seconds: 60 },
  body: z.object({
    incidentId: z.uuid(),
    answer: z.string().trim().min(1).max(2000),
    state,
    outcome: z.enum(LOST_OUTCOMES).nullable().default(null).describe('What became of lost property.'),
  }),
  answer: z.strictObject({ state }),
  refusals: { not_found: { message: 'Report not found' } },
  example: {
    body: { incidentId: '66666666-6666-4666-8666-666666666666', answer: 'We found your headphones.', state: 'done' },
    answer: { state: 'done' },
  },
});
