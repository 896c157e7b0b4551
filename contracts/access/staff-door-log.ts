import { z } from 'zod';
import { DOOR_EVENTS } from '#rules/doors.ts';
import { defineCall } from '../core/define-call.ts';
import { bookingIdField, instantField, instantText } from '../core/fields.ts';

export const staffDoorLog = defineCall({
  name: 'staff-door-log',
  summary:
    'Lists what the locks reported, newest first, with the bookings: at most a hundred entries of a month, of a ' +
    'room, of a booking, or of all rooms.',
  methods: ['POST'],
  callers: 'staff',
  permission: 'bookings',
  limit: { max: 120, seconds: 60 },
  body: z.object({
    studioId: z.uuid().optional(),
    bookingId: bookingIdField.optional(),
    before: instantField.optional().describe('Only older entries.'),
  }),
  answer: z.strictObject({
    entries: z.array(
      z.strictObject({
        at: instantText,
        kind: z.enum(DOOR_EVENTS),
        studioId: z.uuid(),
        studioName: z.string(),
        reference: z.string().nullable().describe('The booking whose code was entered, or the one at that time.'),
        byCode: z.boolean().describe('Whether the code of the booking was entered.'),
        startTime: instantText.nullable().describe('When the session of the booking starts.'),
        customerName: z.string().nullable(),
        actor: z.string().nullable().describe('The member of staff who opened it, or the person whose code it was.'),
      }),
    ),
  }),
  refusals: {},
  example: {
    body: { bookingId: '55555555-5555-4555-8555-555555555555' },
    answer: {
      entries: [
        {
          at: '2031-05-02T00:01:00.000Z',
          kind: 'code',
          studioId: '66666666-6666-4666-8666-666666666666',
          studioName: 'Studio A',
          reference: '7KQM-4TXR',
          byCode: true,
          startTime: '2031-05-02T00:00:00.000Z',
          customerName: 'Sam Customer',
          actor: null,
        },
      ],
    },
  },
});
