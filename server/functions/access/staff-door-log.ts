import { staffDoorLog as contract } from '#contracts/access/staff-door-log.ts';
import { readDoorLog } from '#server/operations/access/doors.ts';
import { defineHandler } from '../handler.ts';

export const staffDoorLog = defineHandler(contract, async (services, { body }) => {
  const { studioId = null, bookingId = null, before = null } = body;
  const entries = await readDoorLog(services, { studioId, bookingId, before });
  return {
    entries: entries.map(({ at, startTime, ...entry }) => ({
      ...entry,
      at: at.toISOString(),
      startTime: startTime?.toISOString() ?? null,
    })),
  };
});
