import { z } from 'zod';
import { defineCall } from '../core/define-call.ts';

export const createVerificationSession = defineCall({
  name: 'create-verification-session',
  summary: 'Starts a hosted identity check of the caller on the provider’s own page.',
  methods: ['POST'],
  callers: 'signed-in',
  limit: { max: 5, seconds: 3600 },
  /** The body is ignored. */
  body: z.preprocess(
    (_body: { readonly bookingData?: unknown }) => ({}),
    z.object({
      bookingData: z.unknown().optional().describe('Ignored: the draft of the booking stays in the browser.'),
    }),
  ),
  answer: z.strictObject({
    verificationSessionId: z.string(),
    verificationUrl: z.string().describe('The page of the provider.'),
  }),
  refusals: {
    not_configured: { message: 'The online identity check isn’t available. Please use a photo of your licence.' },
    age_required: {
      message:
        'Your licence says you turn 18 on Sunday 4 May 2031. You can book from that day. If we read it wrong, ' +
        'please email studio@example.com.',
    },
  },
  example: {
    body: {},
    answer: {
      verificationSessionId: 'vs_1PqRs7StUvWx',
      verificationUrl: 'https://verify.example.com/start/vs_1PqRs7StUvWx',
    },
  },
});
