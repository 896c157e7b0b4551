import { z } from 'zod';
import type { Bookings } from '#server/operations/bookings.ts';
import { bookingIdField, json, parse, signedIn } from './answers.ts';
import type { ServerFunction } from './function.ts';

const LIMIT = { name: 'release-hold', max: 60, seconds: 60 };
const bodySchema = z.object({ bookingId: bookingIdField });

/** Releases the caller's unpaid hold, after they left the pay page: `{released, status, couponCode}`; `couponCode` is the code it had, or null. */
export function releaseHold(context: { bookings: Bookings }): ServerFunction {
  return {
    methods: ['POST'],
    callers: 'signed-in',
    limit: LIMIT,
    async handle({ caller, body }) {
      const { userId } = signedIn(caller);
      const { bookingId } = parse(bodySchema, body);
      const { booking, couponCode } = await context.bookings.letGo(bookingId, userId);
      return json({ released: booking.status === 'cancelled', status: booking.status, couponCode });
    },
  };
}
