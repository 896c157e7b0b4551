import { staffDecideDispute as contract } from '#contracts/disputes/staff-decide-dispute.ts';
import { decideDispute } from '#server/operations/customers/decide-dispute.ts';
import { requirePermission } from '#server/operations/staff/require-permission.ts';
import { defineHandler } from '../handler.ts';
import { getActor } from '../requests.ts';

export const staffDecideDispute = defineHandler(contract, async (services, { caller, body }) => {
  if (body.decision !== 'keep') await requirePermission(services, caller, 'bookings');
  await decideDispute(services, body, getActor(caller));
  return { decision: body.decision };
});
