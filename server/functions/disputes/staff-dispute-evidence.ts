import { staffDisputeEvidence as contract } from '#contracts/disputes/staff-dispute-evidence.ts';
import type { AccessContext } from '#server/operations/access/context.ts';
import { gatherEvidence } from '#server/operations/exports/dispute-evidence.ts';
import { hasPermission, type StaffContext } from '#server/operations/staff/require-permission.ts';
import { defineHandler } from '../handler.ts';
import { actorOf } from '../requests.ts';
import { htmlFile } from '../responses.ts';

type Services = { readonly access: AccessContext; readonly staff: StaffContext };

export const staffDisputeEvidence = defineHandler(contract, async ({ access, staff }: Services, { caller, body }) => {
  const withIds = await hasPermission(staff, caller, 'identity');
  const { html, name } = await gatherEvidence(access, { bookingId: body.bookingId, withIds }, actorOf(caller));
  return htmlFile(html, name);
});
