import { z } from 'zod';
import { defineCall } from '../core/define-call.ts';
import { instantText } from '../core/fields.ts';
import { roomFields } from './room-fields.ts';

export const sessionRoom = defineCall({
  name: 'session-room',
  summary:
    'Returns what the customer of a booking may know of its room now. It is for the owner of the booking and for ' +
    'everyone with the signed link of the code mail. It does not name the person who has the room next.',
  methods: ['POST'],
  callers: 'everyone',
  limit: { max: 60, seconds: 60 },
  body: z.object(roomFields),
  answer: z.strictObject({
    studioId: z.uuid(),
    startTime: instantText,
    endTime: instantText,
    lights: z.boolean().describe('Whether the room has lights that can be switched.'),
    followed: z.boolean().describe('Whether another person has the room in the hour after.'),
  }),
  refusals: {
    not_signed_in: { message: 'Please sign in to see your session.' },
    not_found: { message: 'Booking not found' },
    not_confirmed: { message: 'This booking hasn’t been paid yet.' },
  },
  example: {
    body: { bookingId: '55555555-5555-4555-8555-555555555555' },
    answer: {
      studioId: '66666666-6666-4666-8666-666666666666',
      startTime: '2031-05-02T00:00:00.000Z',
      endTime: '2031-05-02T02:00:00.000Z',
      lights: true,
      followed: false,
    },
  },
});
