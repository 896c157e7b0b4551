import { z } from 'zod';
import { INCIDENT_STATES } from '#rules/business/feedback.ts';
import { defineCall } from '../core/define-call.ts';

const state = z.enum(INCIDENT_STATES);

export const staffChangeIncident = defineCall({
  name: 'staff-change-incident',
  summary: 'Changes the state of an incident. Idempotent.',
  methods: ['POST'],
  callers: 'staff',
  permission: 'bookings',
  limit: { max: 60, seconds: 60 },
  body: z.object({ incidentId: z.uuid(), state }),
  answer: z.strictObject({ state }),
  refusals: { not_found: { message: 'Incident not found' } },
  example: {
    body: { incidentId: '66666666-6666-4666-8666-666666666666', state: 'done' },
    answer: { state: 'done' },
  },
});
