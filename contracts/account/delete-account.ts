import { z } from 'zod';
import { defineCall } from '../core/define-call.ts';
import { proofFields } from '../core/fields.ts';
import { proofRefusals } from './owner-proof.ts';

export const deleteAccount = defineCall({
  name: 'delete-account',
  summary:
    'Deletes the account of the caller. An older session also sends `currentPassword`, or as `nonce` a code of ' +
    '`/auth/v1/reauthenticate`.',
  methods: ['POST'],
  callers: 'signed-in',
  limit: { max: 10, seconds: 60 },
  body: z.object({ confirm: z.literal('DELETE'), ...proofFields }),
  answer: z.strictObject({
    deleted: z.literal(true),
    kept: z.int().nonnegative().describe('How many paid bookings tax law keeps.'),
    keptUntil: z.iso.date().nullable().describe('The last day on which they are kept. Null if none are.'),
  }),
  refusals: {
    ...proofRefusals,
    bookings_ahead: {
      message: 'You still have bookings. Cancel them first, or delete your account when they’re over.',
      bookings: [],
    },
    staff_account: { message: 'You’re on the team. Ask an owner to remove you from it first.' },
  },
  example: {
    body: { confirm: 'DELETE', currentPassword: 'correct horse battery' },
    answer: { deleted: true, kept: 1, keptUntil: '2036-06-30' },
  },
});
