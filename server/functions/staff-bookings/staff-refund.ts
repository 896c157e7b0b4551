import { z } from 'zod';
import { bookingIdField, reasonField, requestIdField } from '#contracts/core/fields.ts';
import type { BookingContext } from '#server/operations/bookings/context.ts';
import { readMoneyRight } from '#server/operations/staff/money-right.ts';
import type { StaffContext } from '#server/operations/staff/require-permission.ts';
import { refundForStaff } from '#server/operations/payments/refund-for-staff.ts';
import { actorOf, parse } from './requests.ts';
import { byHand, json } from './responses.ts';
import type { ServerFunction } from './function.ts';

const LIMIT = { name: 'staff-refund', max: 60, seconds: 60 };
const bodySchema = z.object({
  bookingId: bookingIdField,
  cents: z.int().min(1),
  reason: reasonField,
  requestId: requestIdField,
});

/**
 * Refunds a part of a booking's payment and leaves the booking as it is: `{refundId, refundCents, byHand?}`. The same call again makes no second
 * refund: give each of two equal refunds its own `requestId`.
 */
export function staffRefund({ booking, staff }: { booking: BookingContext; staff: StaffContext }): ServerFunction {
  return {
    methods: ['POST'],
    callers: 'staff',
    permission: 'money',
    limit: LIMIT,
    async handle({ caller, body }) {
      const wanted = parse(bodySchema, body);
      const refund = await refundForStaff(booking, {
        ...wanted,
        actor: actorOf(caller),
        money: await readMoneyRight(staff, caller),
      });
      return json({ refundId: refund.refundId, refundCents: wanted.cents, ...byHand(refund) });
    },
  };
}
