import { z } from 'zod';
import { PERMISSIONS } from '#rules/permissions.ts';
import { setPermissions } from '#server/operations/staff/set-permissions.ts';
import type { StaffContext } from '#server/operations/staff/require-permission.ts';
import { actorOf, parse } from './requests.ts';
import { json } from './responses.ts';
import type { ServerFunction } from './function.ts';

const LIMIT = { name: 'staff-set-permissions', max: 60, seconds: 60 };
const bodySchema = z.object({
  userId: z.uuid(),
  permissions: z.array(z.enum(PERMISSIONS)).transform((given) => PERMISSIONS.filter((one) => given.includes(one))),
});

/** Gives an account exactly these permissions: `{userId, permissions}`. An empty list ends its access as staff. */
export function staffSetPermissions({ staff }: { staff: StaffContext }): ServerFunction {
  return {
    methods: ['POST'],
    callers: 'staff',
    permission: 'owner',
    limit: LIMIT,
    async handle({ caller, body }) {
      const change = parse(bodySchema, body);
      await setPermissions(staff, change, actorOf(caller));
      return json(change);
    },
  };
}
