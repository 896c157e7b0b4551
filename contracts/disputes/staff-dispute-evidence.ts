import { z } from 'zod';
import { defineCall } from '../core/define-call.ts';
import { bookingIdField } from '../core/fields.ts';

export const staffDisputeEvidence = defineCall({
  name: 'staff-dispute-evidence',
  summary:
    'Collects the evidence for a dispute about a booking into one HTML file. It contains results of ID checks only ' +
    'for staff who also have the permission `identity`. Each call is recorded.',
  methods: ['POST'],
  callers: 'staff',
  permission: 'money',
  limit: { max: 20, seconds: 60 },
  body: z.object({ bookingId: bookingIdField }),
  answer: z.never(),
  files: ['text/html; charset=utf-8'],
  refusals: { not_found: { message: 'Booking not found' } },
  example: { body: { bookingId: '66666666-6666-4666-8666-666666666666' } },
});
