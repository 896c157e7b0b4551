import { z } from 'zod';
import { setPermissions } from '#server/operations/staff/set-permissions.ts';
import type { StaffContext } from '#server/operations/staff/require-permission.ts';
import { actorOf, parse } from './requests.ts';
import { json } from './responses.ts';
import type { ServerFunction } from './function.ts';

const LIMIT = { name: 'staff-remove', max: 60, seconds: 60 };
const bodySchema = z.object({ userId: z.uuid() });

/** Ends what an account may do as staff, at once; the account stays: `{removed: true}`. The last owner stays. */
export function staffRemove({ staff }: { staff: StaffContext }): ServerFunction {
  return {
    methods: ['POST'],
    callers: 'staff',
    permission: 'owner',
    limit: LIMIT,
    async handle({ caller, body }) {
      await setPermissions(staff, { ...parse(bodySchema, body), permissions: [] }, actorOf(caller));
      return json({ removed: true });
    },
  };
}
