import { z } from 'zod';
import { dayBounds, isStudioDate } from '#rules/studio-time.ts';
import { defineCall } from '../core/define-call.ts';
import { instantField } from '../core/fields.ts';

const exportName = z.enum(['bookings', 'payments', 'refunds', 'disputes', 'customers', 'xero'], 'Unknown kind.');

/** The kinds of files. */
export type ExportName = z.output<typeof exportName>;

const dayField = z.string().refine((text) => isStudioDate(text), 'Not a date.');

export const staffExport = defineCall({
  name: 'staff-export',
  summary:
    'Exports bookings, payments, refunds, disputes, customers, or the sales for Xero, as CSV. `from` and `to` are ' +
    'days in Sydney, both inclusive, or instants, of which `to` is exclusive. The file contains results of ID checks ' +
    'only for staff who also have the permission `identity`. Each call is recorded.',
  methods: ['POST'],
  callers: 'staff',
  permission: 'money',
  limit: { max: 30, seconds: 60 },
  body: z.object({
    kind: exportName,
    from: z.union([instantField, dayField.transform((day) => dayBounds(day).start)]),
    to: z.union([instantField, dayField.transform((day) => dayBounds(day).end)]),
  }),
  answer: z.never(),
  files: ['text/csv; charset=utf-8'],
  refusals: {},
  example: { body: { kind: 'xero', from: '2031-05-01', to: '2031-05-31' } },
});
