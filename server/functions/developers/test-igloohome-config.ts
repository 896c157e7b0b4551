import { testIgloohomeConfig as contract } from '#contracts/developers/test-igloohome-config.ts';
import type { AccessContext } from '#server/operations/access/context.ts';
import { defineHandler } from '../handler.ts';

export const testIgloohomeConfig = defineHandler(contract, async ({ access }: { access: AccessContext }) => {
  const { mode } = access.locks.capabilities;
  const locks = [...access.lockOf.values()];
  return { success: true as const, message: `Mode ${mode}, ${locks.length} locks set.`, response: { mode, locks } };
});
