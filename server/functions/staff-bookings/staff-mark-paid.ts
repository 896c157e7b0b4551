import { z } from 'zod';
import { bookingIdField } from '#contracts/core/fields.ts';
import type { BookingContext } from '#server/operations/bookings/context.ts';
import { markPaid } from '#server/operations/staff/mark-paid.ts';
import { readMoneyRight } from '#server/operations/staff/money-right.ts';
import type { StaffContext } from '#server/operations/staff/require-permission.ts';
import type { ServerFunction } from './function.ts';
import { actorOf, parse } from './requests.ts';
import { json } from './responses.ts';

const LIMIT = { name: 'staff-mark-paid', max: 60, seconds: 60 };
const bodySchema = z.object({ bookingId: bookingIdField });

/**
 * Confirms a booking whose mailed link nobody has paid, because its customer paid in another way: `{bookingId, reference}`. It needs the permission
 * `money` too. The link is closed. The same call again answers the same.
 */
export function staffMarkPaid({ booking, staff }: { booking: BookingContext; staff: StaffContext }): ServerFunction {
  return {
    methods: ['POST'],
    callers: 'staff',
    permission: 'bookings',
    limit: LIMIT,
    async handle({ caller, body }) {
      const { bookingId } = parse(bodySchema, body);
      const { id, reference } = await markPaid(booking, {
        bookingId,
        actor: actorOf(caller),
        money: await readMoneyRight(staff, caller),
      });
      return json({ bookingId: id, reference });
    },
  };
}
