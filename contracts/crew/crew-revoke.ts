import { z } from 'zod';
import { defineCall } from '../core/define-call.ts';

export const crewRevoke = defineCall({
  name: 'crew-revoke',
  summary:
    'Withdraws an invitation to a booking of the caller. Its link stops working, and the guest’s own code is removed from ' +
    'the lock. Idempotent.',
  methods: ['POST'],
  callers: 'signed-in',
  limit: { max: 30, seconds: 60 },
  body: z.object({ inviteId: z.uuid() }),
  answer: z.strictObject({
    revoked: z.literal(true),
    sawShared: z.boolean().describe('The guest has seen digits that others use too and that still open the door.'),
  }),
  refusals: { not_found: { message: 'Booking not found' } },
  example: {
    body: { inviteId: '66666666-6666-4666-8666-666666666666' },
    answer: { revoked: true, sawShared: false },
  },
});
