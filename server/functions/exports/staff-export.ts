import { staffExport as contract } from '#contracts/exports/staff-export.ts';
import type { BookingContext } from '#server/operations/bookings/context.ts';
import { exportCsv } from '#server/operations/exports/export.ts';
import { hasPermission, type StaffContext } from '#server/operations/staff/require-permission.ts';
import { defineHandler } from '../handler.ts';
import { actorOf } from '../requests.ts';
import { csvFile } from '../responses.ts';

type Services = { readonly booking: BookingContext; readonly staff: StaffContext };

export const staffExport = defineHandler(contract, async ({ booking, staff }: Services, { caller, body }) => {
  const { kind: name, from, to } = body;
  const withIds = await hasPermission(staff, caller, 'identity');
  return csvFile(await exportCsv(booking, { name, withIds, from, to }, actorOf(caller)), name);
});
