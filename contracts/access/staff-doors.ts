import { z } from 'zod';
import { defineCall } from '../core/define-call.ts';
import { noBody, storedInstantText } from '../core/fields.ts';

const door = z.strictObject({
  studioId: z.uuid(),
  studioName: z.string(),
  lockId: z.string().nullable().describe('null: the studio has no lock.'),
  known: z.boolean().nullable().describe('Whether the lock system lists the lock; null when it does not answer.'),
  batteryPercent: z.number().nullable().describe('null: unknown.'),
  isBatteryLow: z.boolean(),
  online: z.boolean().nullable().describe('Whether the lock answered at the last check; null: unknown.'),
  heardAt: storedInstantText.nullable().describe('When the lock last answered or reported something.'),
  checkedAt: storedInstantText.nullable().describe('When the lock system last told us about the lock.'),
  lastOpening: z
    .strictObject({ at: storedInstantText, reference: z.string(), startTime: storedInstantText })
    .nullable()
    .describe('The last use of a code of a booking or a guest.'),
  codes: z
    .array(z.strictObject({ reference: z.string(), startsAt: storedInstantText, endsAt: storedInstantText }))

    .describe('The codes that open the door now.'),
});

const lights = z.strictObject({
  plug: z.string().nullable().describe('null: the plug for rooms that name none.'),
  rooms: z.array(z.strictObject({ studioId: z.uuid(), studioName: z.string() })),
  isSetUp: z.boolean().describe('Whether the operator has set up the plug.'),
  on: z.boolean().nullable().describe('null when the plug does not answer.'),
});

export const staffDoors = defineCall({
  name: 'staff-doors',
  summary: 'Reads the doors with their batteries, last openings and codes, and the lights.',
  methods: ['POST'],
  callers: 'staff',
  permission: 'bookings',
  limit: { max: 60, seconds: 60 },
  body: noBody,
  answer: z.strictObject({
    doors: z.array(door),
    canOpen: z.boolean().describe('Whether staff can open the doors from here.'),
    lights: z.array(lights).describe('One entry for each plug.'),
    lightsOn: z
      .boolean()
      .nullable()
      .describe('The lights of rooms that name no plug; null when there are none or the plug does not answer.'),
  }),
  refusals: {},
  example: {
    body: {},
    answer: {
      doors: [
        {
          studioId: '55555555-5555-4555-8555-555555555555',
          studioName: 'Studio A',
          lockId: 'SP1X0000AAAA',
          known: true,
          batteryPercent: 82,
          isBatteryLow: false,
          online: true,
          heardAt: '2031-05-02T00:02:00+00:00',
          checkedAt: '2031-05-02T00:00:00+00:00',
          lastOpening: {
            at: '2031-05-02T00:01:00+00:00',
            reference: '7KQM-4TXR',
            startTime: '2031-05-02T00:00:00+00:00',
          },
          codes: [
            {
              reference: '7KQM-4TXR',
              startsAt: '2031-05-01T23:50:00+00:00',
              endsAt: '2031-05-02T02:00:00+00:00',
            },
          ],
        },
      ],
      canOpen: true,
      lights: [
        {
          plug: null,
          rooms: [{ studioId: '55555555-5555-4555-8555-555555555555', studioName: 'Studio A' }],
          isSetUp: true,
          on: true,
        },
      ],
      lightsOn: true,
    },
  },
});
