import { testIgloohomeConfig as contract } from '#contracts/developers/test-igloohome-config.ts';
import { defineHandler } from '../handler.ts';

export const testIgloohomeConfig = defineHandler(contract, async (services) => {
  const { mode } = services.locks.capabilities;
  const locks = [...services.studioLocks.values()];
  return { success: true as const, message: `Mode ${mode}, ${locks.length} locks set.`, response: { mode, locks } };
});
