import { z } from 'zod';
import type { BookingContext } from '#server/operations/bookings/context.ts';
import { unblockCustomer } from '#server/operations/customers/block.ts';
import { actorOf, parse } from './requests.ts';
import { json } from './responses.ts';
import type { ServerFunction } from './function.ts';

const LIMIT = { name: 'staff-unblock-customer', max: 60, seconds: 60 };
const bodySchema = z.object({ userId: z.uuid() });

/** Ends the block of a customer: `{blocked: false}`. */
export function staffUnblockCustomer({ booking }: { booking: BookingContext }): ServerFunction {
  return {
    methods: ['POST'],
    callers: 'staff',
    permission: 'bookings',
    limit: LIMIT,
    async handle({ caller, body }) {
      await unblockCustomer(booking, parse(bodySchema, body).userId, actorOf(caller));
      return json({ blocked: false });
    },
  };
}
