import { staffRemove as contract } from '#contracts/team/staff-remove.ts';
import type { StaffContext } from '#server/operations/staff/require-permission.ts';
import { setPermissions } from '#server/operations/staff/set-permissions.ts';
import { defineHandler } from '../handler.ts';
import { actorOf } from '../requests.ts';

export const staffRemove = defineHandler(contract, async ({ staff }: { staff: StaffContext }, { caller, body }) => {
  await setPermissions(staff, { ...body, permissions: [] }, actorOf(caller));
  return { removed: true as const };
});
