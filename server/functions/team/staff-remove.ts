import { staffRemove as contract } from '#contracts/team/staff-remove.ts';
import { setPermissions } from '#server/operations/staff/set-permissions.ts';
import { defineHandler } from '../handler.ts';
import { getActor } from '../requests.ts';

export const staffRemove = defineHandler(contract, async (services, { caller, body }) => {
  await setPermissions(services, { ...body, permissions: [] }, getActor(caller));
  return { removed: true as const };
});
