import { z } from 'zod';
import { instantField } from '#contracts/core/fields.ts';
import { dayBounds, isStudioDate } from '#rules/studio-time.ts';
import type { BookingContext } from '#server/operations/bookings/context.ts';
import { exportCsv } from '#server/operations/exports/export.ts';
import { EXPORT_KINDS, type ExportName } from '#server/operations/exports/kinds.ts';
import { hasPermission, type StaffContext } from '#server/operations/staff/require-permission.ts';
import { actorOf, parse } from './requests.ts';
import { csvFile } from './responses.ts';
import type { ServerFunction } from './function.ts';

const LIMIT = { name: 'staff-export', max: 30, seconds: 60 };
const dayField = z.string().refine((text) => isStudioDate(text), 'Not a date.');
const bodySchema = z.object({
  kind: z.custom<ExportName>(
    (value) => typeof value === 'string' && Object.hasOwn(EXPORT_KINDS, value),
    'Unknown kind.',
  ),
  // A day counts whole, also the last one; an instant is exact, and the file ends before it.
  from: z.union([instantField, dayField.transform((day) => dayBounds(day).start)]),
  to: z.union([instantField, dayField.transform((day) => dayBounds(day).end)]),
});

/**
 * Exports bookings, payments, refunds, customers or sales for Xero as CSV: from a day in Sydney, or an instant, to another. Results of ID checks are in it for
 * staff with the permission `identity` only.
 */
export function staffExport({ booking, staff }: { booking: BookingContext; staff: StaffContext }): ServerFunction {
  return {
    methods: ['POST'],
    callers: 'staff',
    permission: 'money',
    limit: LIMIT,
    async handle({ caller, body }) {
      const { kind: name, from, to } = parse(bodySchema, body);
      const withIds = await hasPermission(staff, caller, 'identity');
      const csv = await exportCsv(booking, { name, withIds, from, to }, actorOf(caller));
      return csvFile(csv, name);
    },
  };
}
