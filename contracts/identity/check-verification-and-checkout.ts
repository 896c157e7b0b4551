import { z } from 'zod';
import { defineCall } from '../core/define-call.ts';

export const checkVerificationAndCheckout = defineCall({
  name: 'check-verification-and-checkout',
  summary: 'Reads the state of the caller’s hosted identity check, and stores the decision once there is one.',
  methods: ['POST'],
  callers: 'signed-in',
  limit: { name: 'check-verification', max: 120, seconds: 60 },
  body: z.looseObject({
    verificationSessionId: z.string().regex(/^vs_[A-Za-z0-9_]{1,200}$/, 'not a verification session'),
  }),
  answer: z.strictObject({
    verified: z.boolean(),
    status: z.enum(['requires_input', 'processing', 'verified', 'canceled', 'review', 'failed']),
    checkoutUrl: z
      .literal('/checkout')
      .nullable()
      .describe('The page on which the customer continues. Null until the ID is verified.'),
    error: z.string().optional().describe('What is wrong, as a sentence for the customer.'),
  }),
  refusals: {
    not_found: { message: 'Verification session not found' },
    not_configured: { message: 'The online identity check isn’t available. Please use a photo of your licence.' },
  },
  example: {
    body: { verificationSessionId: 'vs_1PqRs7StUvWx' },
    answer: { verified: true, status: 'verified', checkoutUrl: '/checkout' },
  },
});
