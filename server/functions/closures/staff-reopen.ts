import { staffReopen as contract } from '#contracts/closures/staff-reopen.ts';
import { reopenHours } from '#server/operations/closures/reopen-hours.ts';
import { defineHandler } from '../handler.ts';
import { getActor } from '../requests.ts';

export const staffReopen = defineHandler(contract, async (services, { caller, body }) => {
  const { closureId, startTime, following } = body;
  await reopenHours(services, { closureId, from: startTime, following }, getActor(caller));
  return { closureId, reopened: true as const };
});
