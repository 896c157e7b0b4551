import { z } from 'zod';
import { bookingIdField, reasonField } from '#contracts/core/fields.ts';
import { cancelForStaff, cancelOrderForStaff } from '#server/operations/bookings/cancel-for-staff.ts';
import type { BookingContext } from '#server/operations/bookings/context.ts';
import { Refusal } from '#server/operations/core/refusal.ts';
import { readMoneyRight } from '#server/operations/staff/money-right.ts';
import type { StaffContext } from '#server/operations/staff/require-permission.ts';
import { actorOf, parse } from './requests.ts';
import { byHand, json, undoOf } from './responses.ts';
import type { ServerFunction } from './function.ts';

const LIMIT = { name: 'staff-cancel-booking', max: 60, seconds: 60 };
const bodySchema = z.object({
  bookingId: bookingIdField,
  refund: z.union([z.enum(['full', 'none', 'terms']), z.int().min(0)]),
  reason: reasonField,
  undoable: z.boolean().default(false),
  series: z.boolean().default(false),
});

/**
 * Cancels a booking, or releases an unpaid hold: `{refundCents, byHand?}`. `terms` refunds what its terms give. A refund other than what the booking's terms give needs the permission `money` too. The
 * same call again answers the same; another decision is refused with 409. With `undoable` mail and refund wait some seconds, and the answer has
 * `undo: {id, until}` for `staff-undo`. With `series` it cancels all that are left of the booking's order, fully refunded, by their terms, or not at all: `cancelled` says how many.
 */
export function staffCancelBooking({
  booking,
  staff,
}: {
  booking: BookingContext;
  staff: StaffContext;
}): ServerFunction {
  return {
    methods: ['POST'],
    callers: 'staff',
    permission: 'bookings',
    limit: LIMIT,
    async handle({ caller, body }) {
      const { series, ...wanted } = parse(bodySchema, body);
      const decision = { ...wanted, actor: actorOf(caller), money: await readMoneyRight(staff, caller) };
      const done = series
        ? await cancelOrderForStaff(booking, { ...decision, refund: wholeRefund(wanted.refund) })
        : await cancelForStaff(booking, decision);
      const cancelled = 'cancelled' in done ? { cancelled: done.cancelled } : {};
      return json({ refundCents: done.refundCents, ...byHand(done), ...undoOf(done), ...cancelled });
    },
  };
}

/** An amount would be that of one booking. */
function wholeRefund<Refund extends string>(refund: Refund | number): Refund {
  if (typeof refund === 'number')
    throw new Refusal('invalid_request', 'Refund a series fully, by its terms, or not at all.', { field: 'refund' });
  return refund;
}
