import { staffRevokeCode as contract } from '#contracts/access/staff-revoke-code.ts';
import { revokeStaffCode } from '#server/operations/access/staff-codes.ts';
import { defineHandler } from '../handler.ts';
import { actorOf } from '../requests.ts';

export const staffRevokeCode = defineHandler(contract, async (services, { caller, body }) => {
  await revokeStaffCode(services, body.codeId, actorOf(caller));
  return { revoking: true as const };
});
