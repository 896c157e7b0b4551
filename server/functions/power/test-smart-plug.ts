import { testSmartPlug as contract } from '#contracts/power/test-smart-plug.ts';
import { type PowerContext, testPower } from '#server/operations/power/switch-power.ts';
import { defineHandler } from '../handler.ts';
import { actorOf } from '../requests.ts';

export const testSmartPlug = defineHandler(contract, async ({ power }: { power: PowerContext }, { caller }) => {
  await testPower(power, actorOf(caller));
  return { success: true as const };
});
