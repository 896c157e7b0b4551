import { staffExportList as contract } from '#contracts/exports/staff-export-list.ts';
import { exportList } from '#server/operations/exports/lists.ts';
import { defineHandler } from '../handler.ts';
import { getActor } from '../requests.ts';
import { csvFile } from '../responses.ts';

export const staffExportList = defineHandler(contract, async (services, { caller, body }) =>
  csvFile(await exportList(services, body, getActor(caller)), body.list),
);
