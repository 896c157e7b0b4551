import { staffExport as contract } from '#contracts/exports/staff-export.ts';
import { exportCsv } from '#server/operations/exports/export.ts';
import { hasPermission } from '#server/operations/staff/require-permission.ts';
import { defineHandler } from '../handler.ts';
import { getActor } from '../requests.ts';
import { csvFile } from '../responses.ts';

export const staffExport = defineHandler(contract, async (services, { caller, body }) => {
  const { kind: name, from, to } = body;
  const withIds = await hasPermission(services, caller, 'identity');
  return csvFile(await exportCsv(services, { name, withIds, from, to }, getActor(caller)), name);
});
