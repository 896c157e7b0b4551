import { z } from 'zod';
import { defineCall } from '../core/define-call.ts';
import { roomFields } from './room-fields.ts';

export const sessionLights = defineCall({
  name: 'session-lights',
  summary:
    'Returns whether the lights of a booking’s room are on, and with `on` switches them. It is for the owner of ' +
    'the booking and for everyone with the signed link of the code mail.',
  methods: ['POST'],
  callers: 'everyone',
  limit: { max: 20, seconds: 60 },
  body: z.object({
    ...roomFields,
    on: z.boolean().nullable().default(null).describe('null switches nothing.'),
  }),
  answer: z.strictObject({
    on: z.boolean().nullable().describe('null when the plug does not answer.'),
    allowed: z
      .strictObject({ on: z.boolean(), off: z.boolean() })
      .describe('How the customer may switch the lights now.'),
  }),
  refusals: {
    not_signed_in: { message: 'Please sign in to switch the lights of your room.' },
    not_found: { message: 'Booking not found' },
    not_confirmed: { message: 'This booking hasn’t been paid yet.' },
    not_configured: { message: 'The lights of this room can’t be switched from here.' },
    too_early: { message: 'You can switch the lights from 5 minutes before your session.' },
    session_ended: { message: 'Your session has ended.' },
    lights_in_use: { message: 'Someone else needs these lights now, so they stay as they are.' },
  },
  example: {
    body: { bookingId: '55555555-5555-4555-8555-555555555555', on: true },
    answer: { on: true, allowed: { on: true, off: true } },
  },
});
