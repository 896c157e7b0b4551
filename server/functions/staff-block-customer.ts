import { z } from 'zod';
import { instantField } from '#contracts/core/fields.ts';
import type { BookingContext } from '#server/operations/bookings/context.ts';
import { blockCustomer, BLOCKED_BOOKINGS, decideBlockedBookings } from '#server/operations/customers/block.ts';
import { readMoneyRight } from '#server/operations/staff/money-right.ts';
import type { StaffContext } from '#server/operations/staff/require-permission.ts';
import { actorOf, parse } from './requests.ts';
import { json } from './responses.ts';
import type { ServerFunction } from './function.ts';

const LIMIT = { name: 'staff-block-customer', max: 60, seconds: 60 };
const bodySchema = z.object({
  userId: z.uuid(),
  reason: z.string().trim().min(1).max(500),
  until: instantField.nullable().default(null),
  bookings: z.enum(BLOCKED_BOOKINGS).default('later'),
});

/**
 * Blocks a customer, without an end or until a time: `{blocked, bookings, left}` with the bookings that are not over, and how many of the confirmed ones are
 * left to decide about. `bookings` says what happens to these: staff decide `later`, `keep` them, or cancel them by their `terms` or with a full
 * `refund`; a refund that the terms do not give needs the permission `money` too.
 */
export function staffBlockCustomer({
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
      const { bookings: decision, ...block } = parse(bodySchema, body);
      const actor = actorOf(caller);
      const bookings = await blockCustomer(booking, block, actor);
      const money = await readMoneyRight(staff, caller);
      const { reason } = block;
      const undecided = await decideBlockedBookings(booking, bookings, { decision, reason, actor, money });
      return json({ blocked: true, bookings, left: undecided.length });
    },
  };
}
