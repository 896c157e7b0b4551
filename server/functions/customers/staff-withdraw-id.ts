import { staffWithdrawId as contract } from '#contracts/customers/staff-withdraw-id.ts';
import type { IdentityContext } from '#server/operations/identity/context.ts';
import { withdrawId } from '#server/operations/identity/withdraw.ts';
import { defineHandler } from '../handler.ts';
import { actorOf } from '../requests.ts';

export const staffWithdrawId = defineHandler(
  contract,
  async ({ identity }: { identity: IdentityContext }, { caller, body }) => {
    await withdrawId(identity, body, actorOf(caller));
    return { withdrawn: true as const };
  },
);
