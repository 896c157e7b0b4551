import { z } from 'zod';
import { defineCall } from '../core/define-call.ts';

export const staffUnblockCustomer = defineCall({
  name: 'staff-unblock-customer',
  summary: 'Ends the block of a customer. Idempotent.',
  methods: ['POST'],
  callers: 'staff',
  permission: 'bookings',
  limit: { max: 60, seconds: 60 },
  body: z.object({ userId: z.uuid() }),
  answer: z.strictObject({ blocked: z.literal(false) }),
  refusals: { not_found: { message: 'Customer not found' } },
  example: { body: { userId: '11111111-1111-4111-8111-111111111111' }, answer: { blocked: false } },
});
