import { z } from 'zod';
import { defineCall } from '../core/define-call.ts';
import { noBody } from '../core/fields.ts';

export const walletFile = defineCall({
  name: 'wallet-file',
  summary:
    'Answers with the pass file whose link `wallet-pass` made, with the `token` of its query. It has a link because ' +
    'phones open a pass from an address and not from a script.',
  methods: ['GET'],
  callers: 'link',
  limit: { max: 30, seconds: 60 },
  body: noBody,
  answer: z.never(),
  files: ['application/vnd.apple.pkpass'],
  refusals: {
    not_found: { message: 'This link has expired. Open your booking and add the pass again.' },
    not_confirmed: { message: 'Only a confirmed booking can be in your wallet.' },
    session_ended: { message: 'This session is over.' },
    not_configured: { message: 'We can’t make passes for Apple Wallet at the moment.' },
  },
  example: { body: {} },
});
