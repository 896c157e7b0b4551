import { z } from 'zod';
import { INCIDENT_STATES, LOST_OUTCOMES, PROBLEM_CATEGORIES, REPORT_KINDS } from '#rules/business/feedback.ts';
import { defineCall } from '../core/define-call.ts';
import { centsField, instantText, noBody } from '../core/fields.ts';

const closedDoor = z.strictObject({
  id: z.uuid(),
  reference: z.string(),
  closedMinutes: z.int().nonnegative().describe('For how many minutes of the session the door stayed closed.'),
  backCents: centsField.describe('Their share of the price.'),
  refunded: z.boolean().describe('Whether staff have given it back.'),
});

export const staffIncidents = defineCall({
  name: 'staff-incidents',
  summary: 'Lists the incidents: those that are not done first, then the newest. At most two hundred.',
  methods: ['POST'],
  callers: 'staff',
  permission: 'bookings',
  limit: { max: 120, seconds: 60 },
  body: noBody,
  answer: z.strictObject({
    incidents: z.array(
      z.strictObject({
        id: z.uuid(),
        kind: z
          .enum(['room', 'door', ...REPORT_KINDS])
          .describe(
            '`room`: staff report it. `door`: a customer’s door does not open. The others: a customer reports it.',
          ),
        category: z.enum(PROBLEM_CATEGORIES).nullable(),
        booking: closedDoor.nullable().describe('The booking whose door stayed closed.'),
        reference: z.string().nullable().describe('The booking that it is about.'),
        studioId: z.uuid().nullable(),
        studioName: z.string().nullable(),
        description: z.string(),
        state: z.enum(INCIDENT_STATES),
        reporter: z.string().nullable(),
        photos: z.array(z.string()).describe('Names of objects in the bucket `incidents`.'),
        answer: z.string().nullable().describe('What staff answered the customer.'),
        answeredAt: instantText.nullable(),
        outcome: z.enum(LOST_OUTCOMES).nullable().describe('What became of lost property.'),
        createdAt: instantText,
        changedBy: z.string().nullable(),
        changedAt: instantText.nullable(),
      }),
    ),
  }),
  refusals: {},
  example: {
    body: {},
    answer: {
      incidents: [
        {
          id: '66666666-6666-4666-8666-666666666666',
          kind: 'door',
          category: null,
          booking: {
            id: '55555555-5555-4555-8555-555555555555',
            reference: '7KQM-4TXR',
            closedMinutes: 12,
            backCents: 900,
            refunded: false,
          },
          reference: '7KQM-4TXR',
          studioId: '77777777-7777-4777-8777-777777777777',
          studioName: 'Studio A',
          description: 'The door of Studio A does not open for booking 7KQM-4TXR.',
          state: 'open',
          reporter: 'Sam Customer',
          photos: [],
          answer: null,
          answeredAt: null,
          outcome: null,
          createdAt: '2031-05-02T00:03:00.000Z',
          changedBy: null,
          changedAt: null,
        },
      ],
    },
  },
});
