import { z } from 'zod';
import { defineCall } from '../core/define-call.ts';
import { instantField } from '../core/fields.ts';

export const staffAccessCode = defineCall({
  name: 'staff-access-code',
  summary:
    'Makes a code for a person without a booking, and closes its hours for bookings. The digits are shown once; ' +
    'the same call again within ten minutes shows them again. Without `requestId`, a call for the same hours and ' +
    'name is the same call.',
  methods: ['POST'],
  callers: 'staff',
  permission: 'bookings',
  limit: { max: 10, seconds: 60 },
  body: z.object({
    studioId: z.uuid(),
    startTime: instantField,
    endTime: instantField,
    name: z.string().trim().min(1).max(60),
    requestId: z.string().trim().min(1).max(100).optional(),
  }),
  answer: z.strictObject({ codeId: z.uuid(), pin: z.string() }),
  refusals: {
    not_found: { message: 'This studio has no lock.' },
    slot_taken: {
      message: 'A booking is in the way. Move or cancel it first.',
      bookings: [{ id: '55555555-5555-4555-8555-555555555555', reference: '7KQM-4TXR' }],
    },
    already_done: {
      message: 'This code was already created and shown.',
      codeId: '66666666-6666-4666-8666-666666666666',
    },
    code_limit: {
      message:
        'The lock has no codes left for these hours. Existing codes still work, and you can open the door on the Doors tab.',
    },
  },
  example: {
    body: {
      studioId: '55555555-5555-4555-8555-555555555555',
      startTime: '2031-05-02T00:00:00Z',
      endTime: '2031-05-02T02:00:00Z',
      name: 'Electrician',
    },
    answer: { codeId: '66666666-6666-4666-8666-666666666666', pin: '482913' },
  },
});
