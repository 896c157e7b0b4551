import { staffKeepWithoutId as contract } from '#contracts/customers/staff-keep-without-id.ts';
import type { IdentityContext } from '#server/operations/identity/context.ts';
import { keepWithoutId } from '#server/operations/identity/missing-ids.ts';
import { defineHandler } from '../handler.ts';
import { actorOf } from '../requests.ts';

export const staffKeepWithoutId = defineHandler(
  contract,
  async ({ identity }: { identity: IdentityContext }, { caller, body }) => {
    await keepWithoutId(identity, body, actorOf(caller));
    return { kept: true as const };
  },
);
