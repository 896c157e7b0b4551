import { staffSetPermissions as contract } from '#contracts/team/staff-set-permissions.ts';
import type { StaffContext } from '#server/operations/staff/require-permission.ts';
import { setPermissions } from '#server/operations/staff/set-permissions.ts';
import { defineHandler } from '../handler.ts';
import { actorOf } from '../requests.ts';

export const staffSetPermissions = defineHandler(
  contract,
  async ({ staff }: { staff: StaffContext }, { caller, body }) => {
    await setPermissions(staff, body, actorOf(caller));
    return body;
  },
);
