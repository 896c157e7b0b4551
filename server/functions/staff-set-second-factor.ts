import { z } from 'zod';
import { GRACE_DAYS, GRACE_DAYS_MAX, PERMISSIONS } from '#rules/permissions.ts';
import type { BookingContext } from '#server/operations/bookings/context.ts';
import { setSecondFactorRules } from '#server/operations/staff/set-second-factor.ts';
import { actorOf, parse } from './requests.ts';
import { json } from './responses.ts';
import type { ServerFunction } from './function.ts';

const LIMIT = { name: 'staff-set-second-factor', max: 60, seconds: 60 };
const bodySchema = z.object({
  permissions: z.array(z.enum(PERMISSIONS)).transform((given) => PERMISSIONS.filter((one) => given.includes(one))),
  graceDays: z.int().min(0).max(GRACE_DAYS_MAX).default(GRACE_DAYS),
});

/**
 * Sets exactly the permissions that need a sign-in with a second factor: `{permissions}`. An empty list ends every such rule. Staff who have no second
 * factor are mailed, and can go on without one for `graceDays`.
 */
export function staffSetSecondFactor({ booking }: { booking: BookingContext }): ServerFunction {
  return {
    methods: ['POST'],
    callers: 'staff',
    permission: 'owner',
    limit: LIMIT,
    async handle({ caller, body }) {
      const rules = parse(bodySchema, body);
      await setSecondFactorRules(booking, rules, { actor: actorOf(caller), sessionId: caller.sessionId });
      return json({ permissions: rules.permissions });
    },
  };
}
