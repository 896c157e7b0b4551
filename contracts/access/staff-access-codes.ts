import { z } from 'zod';
import { defineCall } from '../core/define-call.ts';
import { instantText, noBody } from '../core/fields.ts';

export const staffAccessCodes = defineCall({
  name: 'staff-access-codes',
  summary:
    'Lists the codes of staff without their digits: those that work now or later and those of the last week, the ' +
    'latest end first, at most a hundred.',
  methods: ['POST'],
  callers: 'staff',
  permission: 'bookings',
  limit: { max: 120, seconds: 60 },
  body: noBody,
  answer: z.strictObject({
    codes: z.array(
      z.strictObject({
        id: z.uuid(),
        name: z.string().describe('Whom the code is for.'),
        status: z.enum(['requested', 'issued', 'revoking', 'revoked']),
        startsAt: instantText,
        endsAt: instantText,
        studioName: z.string(),
        madeBy: z.string().nullable(),
        usedAt: instantText.nullable(),
      }),
    ),
    canRevoke: z.boolean().describe('Whether the locks can remove a code before it ends.'),
  }),
  refusals: {},
  example: {
    body: {},
    answer: {
      codes: [
        {
          id: '66666666-6666-4666-8666-666666666666',
          name: 'Electrician',
          status: 'issued',
          startsAt: '2031-05-02T00:00:00.000Z',
          endsAt: '2031-05-02T02:00:00.000Z',
          studioName: 'Studio A',
          madeBy: 'Alex Owner',
          usedAt: null,
        },
      ],
      canRevoke: true,
    },
  },
});
