import { staffSetSecondFactor as contract } from '#contracts/team/staff-set-second-factor.ts';
import { setSecondFactorRules } from '#server/operations/staff/set-second-factor.ts';
import { defineHandler } from '../handler.ts';
import { getActor } from '../requests.ts';

export const staffSetSecondFactor = defineHandler(contract, async (services, { caller, body }) => {
  await setSecondFactorRules(services, body, { actor: getActor(caller), sessionId: caller.sessionId });
  return { permissions: body.permissions };
});
