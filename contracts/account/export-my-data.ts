import { z } from 'zod';
import { defineCall } from '../core/define-call.ts';
import { noBody } from '../core/fields.ts';

export const exportMyData = defineCall({
  name: 'export-my-data',
  summary:
    'Answers with everything that is stored about the account, as a JSON file. Secrets are left out, and so is what ' +
    'staff write for each other.',
  methods: ['POST'],
  callers: 'signed-in',
  limit: { max: 10, seconds: 60 },
  body: noBody,
  answer: z.never(),
  files: ['application/json; charset=utf-8'],
  refusals: { not_found: { message: 'Account not found' } },
  example: { body: {} },
});
