import { staffRevokeCode as contract } from '#contracts/access/staff-revoke-code.ts';
import type { AccessContext } from '#server/operations/access/context.ts';
import { revokeStaffCode } from '#server/operations/access/staff-codes.ts';
import { defineHandler } from '../handler.ts';
import { actorOf } from '../requests.ts';

export const staffRevokeCode = defineHandler(
  contract,
  async ({ access }: { access: AccessContext }, { caller, body }) => {
    await revokeStaffCode(access, body.codeId, actorOf(caller));
    return { revoking: true as const };
  },
);
