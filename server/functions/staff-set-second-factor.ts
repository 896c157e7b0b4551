import { z } from 'zod';
import { PERMISSIONS } from '#rules/permissions.ts';
import type { StaffContext } from '#server/operations/staff/require-permission.ts';
import { setSecondFactorRules } from '#server/operations/staff/set-second-factor.ts';
import { actorOf, parse } from './requests.ts';
import { json } from './responses.ts';
import type { ServerFunction } from './function.ts';

const LIMIT = { name: 'staff-set-second-factor', max: 60, seconds: 60 };
const bodySchema = z.object({
  permissions: z.array(z.enum(PERMISSIONS)).transform((given) => PERMISSIONS.filter((one) => given.includes(one))),
});

/** Sets exactly the permissions that need a sign-in with a second factor: `{permissions}`. An empty list ends every such rule. */
export function staffSetSecondFactor({ staff }: { staff: StaffContext }): ServerFunction {
  return {
    methods: ['POST'],
    callers: 'staff',
    permission: 'owner',
    limit: LIMIT,
    async handle({ caller, body }) {
      const { permissions } = parse(bodySchema, body);
      await setSecondFactorRules(staff, permissions, { actor: actorOf(caller), sessionId: caller.sessionId });
      return json({ permissions });
    },
  };
}
