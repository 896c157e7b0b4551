import { z } from 'zod';
import { defineCall } from '../core/define-call.ts';
import { bookingIdField } from '../core/fields.ts';

const kindField = z.enum(['apple', 'google']);
export type WalletKind = z.output<typeof kindField>;

export const walletPass = defineCall({
  name: 'wallet-pass',
  summary: 'Answers where the phone gets the pass of the caller’s own confirmed booking.',
  methods: ['POST'],
  callers: 'signed-in',
  limit: { max: 20, seconds: 60 },
  body: z.object({ bookingId: bookingIdField, kind: kindField }),
  answer: z.strictObject({
    url: z
      .url()
      .describe('A page of Google, or for Apple the file of `wallet-file`, whose link works for ten minutes.'),
  }),
  refusals: {
    not_found: { message: 'Booking not found' },
    not_confirmed: { message: 'Only a confirmed booking can be in your wallet.' },
    session_ended: { message: 'This session is over.' },
    not_configured: { message: 'We can’t make passes for Apple Wallet at the moment.' },
  },
  example: {
    body: { bookingId: '66666666-6666-4666-8666-666666666666', kind: 'google' },
    answer: { url: 'https://pay.google.com/gp/v/save/eyJhbGciOiJSUzI1NiJ9' },
  },
});
