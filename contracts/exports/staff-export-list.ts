import { z } from 'zod';
import { defineCall } from '../core/define-call.ts';

export const staffExportList = defineCall({
  name: 'staff-export-list',
  summary: 'Exports the mailing list, or the gift codes of a batch, as CSV. Each call is recorded.',
  methods: ['POST'],
  callers: 'staff',
  permission: 'settings',
  limit: { max: 30, seconds: 60 },
  body: z.discriminatedUnion('list', [
    z.object({ list: z.literal('mailing-list') }),
    z.object({ list: z.literal('gift-codes'), batchId: z.uuid() }),
  ]),
  answer: z.never(),
  files: ['text/csv; charset=utf-8'],
  refusals: { not_found: { message: 'This batch of codes doesn’t exist.' } },
  example: { body: { list: 'gift-codes', batchId: '77777777-7777-4777-8777-777777777777' } },
});
