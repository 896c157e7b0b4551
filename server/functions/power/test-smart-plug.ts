import { testSmartPlug as contract } from '#contracts/power/test-smart-plug.ts';
import { testPower } from '#server/operations/power/switch-power.ts';
import { defineHandler } from '../handler.ts';
import { getActor } from '../requests.ts';

export const testSmartPlug = defineHandler(contract, async (services, { caller }) => {
  await testPower(services, getActor(caller));
  return { success: true as const };
});
