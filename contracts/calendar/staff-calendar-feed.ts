import { z } from 'zod';
import { defineCall } from '../core/define-call.ts';

export const staffCalendarFeed = defineCall({
  name: 'staff-calendar-feed',
  summary:
    'Answers with the address of the private calendar of a room, or revokes it. The address stays the same until it ' +
    'is revoked. Each call that shows it is recorded.',
  methods: ['POST'],
  callers: 'staff',
  permission: 'bookings',
  limit: { max: 30, seconds: 60 },
  body: z.object({ studioId: z.uuid(), action: z.enum(['create', 'revoke']) }),
  answer: z.strictObject({
    url: z.url().optional().describe('With `create`: the address of the calendar.'),
    revoked: z.boolean().optional().describe('With `revoke`: false if the room had no calendar.'),
  }),
  refusals: { not_found: { message: 'Studio not found' } },
  example: {
    body: { studioId: '55555555-5555-4555-8555-555555555555', action: 'create' },
    answer: { url: 'https://site.example.com/functions/v1/calendar-feed?token=77777777.9999999999.c2lnbmVk' },
  },
});
