import { staffDecideDispute as contract } from '#contracts/disputes/staff-decide-dispute.ts';
import type { BookingContext } from '#server/operations/bookings/context.ts';
import { decideDispute } from '#server/operations/customers/decide-dispute.ts';
import { requirePermission, type StaffContext } from '#server/operations/staff/require-permission.ts';
import { defineHandler } from '../handler.ts';
import { actorOf } from '../requests.ts';

type Services = { readonly booking: BookingContext; readonly staff: StaffContext };

export const staffDecideDispute = defineHandler(contract, async ({ booking, staff }: Services, { caller, body }) => {
  if (body.decision !== 'keep') await requirePermission(staff, caller, 'bookings');
  await decideDispute(booking, body, actorOf(caller));
  return { decision: body.decision };
});
