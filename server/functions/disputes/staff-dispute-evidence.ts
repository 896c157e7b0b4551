import { staffDisputeEvidence as contract } from '#contracts/disputes/staff-dispute-evidence.ts';
import { gatherEvidence } from '#server/operations/exports/dispute-evidence.ts';
import { hasPermission } from '#server/operations/staff/require-permission.ts';
import { defineHandler } from '../handler.ts';
import { getActor } from '../requests.ts';
import { htmlFile } from '../responses.ts';

export const staffDisputeEvidence = defineHandler(contract, async (services, { caller, body }) => {
  const withIds = await hasPermission(services, caller, 'identity');
  const { html, name } = await gatherEvidence(services, { bookingId: body.bookingId, withIds }, getActor(caller));
  return htmlFile(html, name);
});
