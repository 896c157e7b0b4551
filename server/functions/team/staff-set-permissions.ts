import { staffSetPermissions as contract } from '#contracts/team/staff-set-permissions.ts';
import { setPermissions } from '#server/operations/staff/set-permissions.ts';
import { defineHandler } from '../handler.ts';
import { getActor } from '../requests.ts';

export const staffSetPermissions = defineHandler(contract, async (services, { caller, body }) => {
  await setPermissions(services, body, getActor(caller));
  return body;
});
