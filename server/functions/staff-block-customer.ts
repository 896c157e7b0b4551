import { z } from 'zod';
import type { BookingContext } from '#server/operations/bookings/context.ts';
import { blockCustomer } from '#server/operations/customers/block.ts';
import { actorOf, instantField, parse } from './requests.ts';
import { json } from './responses.ts';
import type { ServerFunction } from './function.ts';

const LIMIT = { name: 'staff-block-customer', max: 60, seconds: 60 };
const bodySchema = z.object({
  userId: z.uuid(),
  reason: z.string().trim().min(1).max(500),
  until: instantField.nullable().default(null),
});

/** Blocks a customer, for good or until a time: `{blocked, bookings}` with the bookings that are not over. */
export function staffBlockCustomer({ booking }: { booking: BookingContext }): ServerFunction {
  return {
    methods: ['POST'],
    callers: 'staff',
    permission: 'bookings',
    limit: LIMIT,
    async handle({ caller, body }) {
      const bookings = await blockCustomer(booking, parse(bodySchema, body), actorOf(caller));
      return json({ blocked: true, bookings });
    },
  };
}
