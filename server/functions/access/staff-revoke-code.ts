import { staffRevokeCode as contract } from '#contracts/access/staff-revoke-code.ts';
import { revokeStaffCode } from '#server/operations/access/staff-codes.ts';
import { defineHandler } from '../handler.ts';
import { getActor } from '../requests.ts';

export const staffRevokeCode = defineHandler(contract, async (services, { caller, body }) => {
  await revokeStaffCode(services, body.codeId, getActor(caller));
  return { revoking: true as const };
});
