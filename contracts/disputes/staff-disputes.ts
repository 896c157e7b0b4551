import { z } from 'zod';
import { defineCall } from '../core/define-call.ts';
import { bookingIdField, centsField, instantText } from '../core/fields.ts';

export const staffDisputes = defineCall({
  name: 'staff-disputes',
  summary: 'Reads the disputes about the payments of a booking, oldest first, and whether they hold its access code.',
  methods: ['POST'],
  callers: 'staff',
  permission: 'money',
  limit: { max: 120, seconds: 60 },
  body: z.object({ bookingId: bookingIdField }),
  answer: z.strictObject({
    disputes: z.array(
      z.strictObject({
        id: z.string().describe('The ID of the dispute at the payment provider.'),
        status: z.enum(['open', 'won', 'lost']),
        providerStatus: z.string().describe('As the provider names it, such as `under_review`.'),
        needsResponse: z.boolean(),
        reason: z.string().nullable(),
        amountCents: centsField,
        dueAt: instantText.nullable().describe('Until when the bank accepts evidence.'),
        openedAt: instantText,
      }),
    ),
    held: z.boolean().describe('Whether the access code of the booking waits for a decision of staff.'),
  }),
  refusals: {},
  example: {
    body: { bookingId: '66666666-6666-4666-8666-666666666666' },
    answer: {
      disputes: [
        {
          id: 'dp_1',
          status: 'open',
          providerStatus: 'needs_response',
          needsResponse: true,
          reason: 'fraudulent',
          amountCents: 9800,
          dueAt: '2031-05-12T00:00:00.000Z',
          openedAt: '2031-05-03T00:00:00.000Z',
        },
      ],
      held: true,
    },
  },
});
