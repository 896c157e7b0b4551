import { z } from 'zod';
import { defineCall } from '../core/define-call.ts';

export const staffOpenDoor = defineCall({
  name: 'staff-open-door',
  summary: 'Opens a door from afar, and answers once it is open. The reason is in the audit log.',
  methods: ['POST'],
  callers: 'staff',
  permission: 'bookings',
  limit: { max: 10, seconds: 60 },
  body: z.object({ studioId: z.uuid(), reason: z.string().trim().min(1).max(200) }),
  answer: z.strictObject({ opened: z.literal(true) }),
  refusals: { not_found: { message: 'This studio has no lock.' } },
  example: {
    body: { studioId: '55555555-5555-4555-8555-555555555555', reason: 'The customer is locked out' },
    answer: { opened: true },
  },
});
