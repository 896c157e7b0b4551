import { z } from 'zod';
import { bookingIdField, reasonField } from '#contracts/core/fields.ts';
import type { AccessContext } from '#server/operations/access/context.ts';
import { gatherEvidence } from '#server/operations/exports/dispute-evidence.ts';
import { DISPUTE_DECISIONS, decideDispute } from '#server/operations/customers/decide-dispute.ts';
import { readDisputesAndHold } from '#server/operations/staff/read-disputes.ts';
import type { BookingContext } from '#server/operations/bookings/context.ts';
import { hasPermission, requirePermission, type StaffContext } from '#server/operations/staff/require-permission.ts';
import type { ServerFunction } from './function.ts';
import { actorOf, parse } from './requests.ts';
import { htmlFile, json } from './responses.ts';

const bodySchema = z.object({ bookingId: bookingIdField });
const decisionSchema = bodySchema.extend({ decision: z.enum(DISPUTE_DECISIONS), reason: reasonField });

/** Reads the disputes of a booking: `{disputes, held}`, oldest first. `held`: its access code waits for a decision. */
export function staffDisputes({ access }: { access: AccessContext }): ServerFunction {
  return {
    methods: ['POST'],
    callers: 'staff',
    permission: 'money',
    limit: { name: 'staff-disputes', max: 120, seconds: 60 },
    handle: async ({ body }) => json(await readDisputesAndHold(access, parse(bodySchema, body).bookingId)),
  };
}

/**
 * Gathers the evidence for a dispute about a booking into one HTML file for download. Results of ID checks are in it for staff with the permission
 * `identity` only.
 */
export function staffDisputeEvidence({
  access,
  staff,
}: {
  access: AccessContext;
  staff: StaffContext;
}): ServerFunction {
  return {
    methods: ['POST'],
    callers: 'staff',
    permission: 'money',
    limit: { name: 'staff-dispute-evidence', max: 20, seconds: 60 },
    async handle({ caller, body }) {
      const { bookingId } = parse(bodySchema, body);
      const withIds = await hasPermission(staff, caller, 'identity');
      const { html, name } = await gatherEvidence(access, { bookingId, withIds }, actorOf(caller));
      return htmlFile(html, name);
    },
  };
}

/**
 * Decides about a disputed booking whose access code is held: `{decision}`. `keep` lets the session take place, `cancel` cancels the booking without a
 * refund, `block` blocks its customer too. The last two need the permission `bookings` as well.
 */
export function staffDecideDispute({
  booking,
  staff,
}: {
  booking: BookingContext;
  staff: StaffContext;
}): ServerFunction {
  return {
    methods: ['POST'],
    callers: 'staff',
    permission: 'money',
    limit: { name: 'staff-decide-dispute', max: 60, seconds: 60 },
    async handle({ caller, body }) {
      const wanted = parse(decisionSchema, body);
      if (wanted.decision !== 'keep') await requirePermission(staff, caller, 'bookings');
      await decideDispute(booking, wanted, actorOf(caller));
      return json({ decision: wanted.decision });
    },
  };
}
