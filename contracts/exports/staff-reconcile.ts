import { z } from 'zod';
import { defineCall } from '../core/define-call.ts';

export const staffReconcile = defineCall({
  name: 'staff-reconcile',
  summary:
    'Begins to compare a month with the ledger of the payment provider. The status is 202. The result is on the ' +
    'Numbers tab and in `rpc/ledger_check`.',
  methods: ['POST'],
  callers: 'staff',
  permission: 'money',
  limit: { max: 20, seconds: 3600 },
  body: z.object({
    month: z
      .string()
      .regex(/^20\d\d-(0[1-9]|1[0-2])$/, 'use YYYY-MM')
      .describe('A month in Sydney, `YYYY-MM`, that has begun.'),
  }),
  answer: z.strictObject({ month: z.string() }),
  refusals: {},
  example: { body: { month: '2031-04' }, answer: { month: '2031-04' } },
});
