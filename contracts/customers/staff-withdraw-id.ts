import { z } from 'zod';
import { defineCall } from '../core/define-call.ts';
import { reasonField } from '../core/fields.ts';

export const staffWithdrawId = defineCall({
  name: 'staff-withdraw-id',
  summary: 'Withdraws the verified ID of a customer, who gets the reason by mail. Idempotent.',
  methods: ['POST'],
  callers: 'staff',
  permission: 'identity',
  limit: { max: 60, seconds: 60 },
  body: z.object({ userId: z.uuid(), reason: reasonField.describe('For the customer, in the mail.') }),
  answer: z.strictObject({ withdrawn: z.literal(true) }),
  refusals: {
    not_found: { message: 'Customer not found' },
    already_done: { message: 'This customer has no verified ID.' },
  },
  example: {
    body: { userId: '11111111-1111-4111-8111-111111111111', reason: 'The photo is not of your own ID.' },
    answer: { withdrawn: true },
  },
});
