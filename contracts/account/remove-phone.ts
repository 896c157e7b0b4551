import { z } from 'zod';
import { defineCall } from '../core/define-call.ts';
import { proofFields } from '../core/fields.ts';
import { proofRefusals } from './owner-proof.ts';

export const removePhone = defineCall({
  name: 'remove-phone',
  summary:
    'Removes the confirmed phone number of the account and switches its text reminders off. An older session also ' +
    'sends `currentPassword`, or as `nonce` a code of `/auth/v1/reauthenticate`.',
  methods: ['POST'],
  callers: 'signed-in',
  limit: { max: 10, seconds: 60 },
  body: z.object(proofFields),
  answer: z.strictObject({ removed: z.boolean().describe('False if the account had no number.') }),
  refusals: {
    ...proofRefusals,
    mail_unconfirmed: {
      message: 'You sign in with this number. Add an email to your account first, then you can remove it.',
    },
  },
  example: { body: { currentPassword: 'correct horse battery' }, answer: { removed: true } },
});
