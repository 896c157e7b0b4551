import { z } from 'zod';
import { defineCall } from '../core/define-call.ts';

export const staffRevokeCode = defineCall({
  name: 'staff-revoke-code',
  summary: 'Queues the removal of a code of staff from its lock. Idempotent.',
  methods: ['POST'],
  callers: 'staff',
  permission: 'bookings',
  limit: { max: 60, seconds: 60 },
  body: z.object({ codeId: z.uuid() }),
  answer: z.strictObject({ revoking: z.literal(true) }),
  refusals: {
    not_found: { message: 'Code not found' },
    not_configured: { message: 'This lock can’t remove a code. The code stops working when it ends.' },
  },
  example: { body: { codeId: '66666666-6666-4666-8666-666666666666' }, answer: { revoking: true } },
});
