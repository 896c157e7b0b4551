import { staffSetSecondFactor as contract } from '#contracts/team/staff-set-second-factor.ts';
import { setSecondFactorRules } from '#server/operations/staff/set-second-factor.ts';
import { defineHandler } from '../handler.ts';
import { actorOf } from '../requests.ts';

export const staffSetSecondFactor = defineHandler(contract, async (services, { caller, body }) => {
  await setSecondFactorRules(services, body, { actor: actorOf(caller), sessionId: caller.sessionId });
  return { permissions: body.permissions };
});
