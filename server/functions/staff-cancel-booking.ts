import { z } from 'zod';
import { cancelForStaff, cancelOrderForStaff } from '#server/operations/bookings/cancel-for-staff.ts';
import type { BookingContext } from '#server/operations/bookings/context.ts';
import { Refusal } from '#server/operations/core/refusal.ts';
import {
  hasPermission,
  missesSecondFactor,
  secondFactorRequired,
  type StaffContext,
} from '#server/operations/staff/require-permission.ts';
import { actorOf, bookingIdField, parse, reasonField } from './requests.ts';
import { byHand, json, undoOf } from './responses.ts';
import type { ServerFunction } from './function.ts';

const LIMIT = { name: 'staff-cancel-booking', max: 60, seconds: 60 };
const bodySchema = z.object({
  bookingId: bookingIdField,
  refund: z.union([z.enum(['full', 'none']), z.int().min(0)]),
  reason: reasonField,
  undoable: z.boolean().default(false),
  series: z.boolean().default(false),
});

/**
 * Cancels a booking, or releases an unpaid hold: `{refundCents, byHand?}`. A refund other than what the booking's terms give needs the permission `money` too. The
 * same call again answers the same; another decision is refused with 409. With `undoable` mail and refund wait some seconds, and the answer has
 * `undo: {id, until}` for `staff-undo`. With `series` it cancels all that are left of the booking's order, fully refunded or not at all: `cancelled` says how many.
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
      const mayChooseRefund = await hasPermission(staff, caller, 'money');
      const decision = { ...wanted, actor: actorOf(caller), mayChooseRefund };
      const cancelling = series
        ? cancelOrderForStaff(booking, { ...decision, refund: wholeRefund(wanted.refund) })
        : cancelForStaff(booking, decision);
      const done = await cancelling.catch(async (error: unknown) => {
        const needsMoney = error instanceof Refusal && error.details['permission'] === 'money';
        if (needsMoney && (await missesSecondFactor(staff, caller, 'money'))) throw secondFactorRequired('money');
        throw error;
      });
      const cancelled = 'cancelled' in done ? { cancelled: done.cancelled } : {};
      return json({ refundCents: done.refundCents, ...byHand(done), ...undoOf(done), ...cancelled });
    },
  };
}

/** An amount would be that of one booking. */
function wholeRefund(refund: 'full' | 'none' | number): 'full' | 'none' {
  if (typeof refund === 'number')
    throw new Refusal('invalid_request', 'Refund a series fully or not at all.', { field: 'refund' });
  return refund;
}
