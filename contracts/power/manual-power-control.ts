import { z } from 'zod';
import { defineCall } from '../core/define-call.ts';

export const manualPowerControl = defineCall({
  name: 'manual-power-control',
  summary:
    'Switches the lights of a room for staff. Without `studioId` it switches the plug for the rooms that name ' +
    'none. It answers once the plug has switched.',
  methods: ['POST'],
  callers: 'staff',
  permission: 'bookings',
  limit: { max: 60, seconds: 60 },
  body: z.looseObject({ action: z.enum(['turn_on', 'turn_off']), studioId: z.uuid().optional() }),
  answer: z.strictObject({ success: z.literal(true), message: z.string() }),
  refusals: { not_found: { message: 'Studio not found' } },
  example: { body: { action: 'turn_on' }, answer: { success: true, message: 'Power turned on' } },
});
