import { z } from 'zod';
import { defineCall } from '../core/define-call.ts';
import { requestIdField } from '../core/fields.ts';

export const staffReportIncident = defineCall({
  name: 'staff-report-incident',
  summary: 'Reports an incident, with or without a photo.',
  methods: ['POST'],
  callers: 'staff',
  permission: 'bookings',
  limit: { max: 60, seconds: 60 },
  body: z.object({
    studioId: z.uuid().nullable().describe('null: it is about no room.'),
    description: z.string().trim().min(1).max(2000),
    photo: z
      .string()
      .min(1)
      .max(1024)
      .nullable()
      .default(null)
      .describe('Name of an object in the bucket `incidents` that the caller has uploaded.'),
    requestId: requestIdField,
  }),
  answer: z.strictObject({ incidentId: z.uuid() }),
  refusals: { not_found: { message: 'The photo was not found. Add it again.' } },
  example: {
    body: {
      studioId: '55555555-5555-4555-8555-555555555555',
      description: 'The mixer has no sound on channel 2.',
      requestId: 'incident-1',
    },
    answer: { incidentId: '66666666-6666-4666-8666-666666666666' },
  },
});
