import { z } from 'zod';
import type { Bookings } from '#server/operations/bookings.ts';
import { bookingIdField, json, parse, signedIn } from './answers.ts';
import type { ServerFunction } from './function.ts';

const LIMIT = { name: 'release-hold', max: 60, seconds: 60 };
const bodySchema = z.object({ bookingId: bookingIdField });

/** Somebody came back from the pay page: their unpaid hold is given up by the handshake. `{released, status, couponCode}`: the code it had, or null. */
export function releaseHold(parts: { bookings: Bookings }): ServerFunction {
  return {
    methods: ['POST'],
    callers: 'signed-in',
    limit: LIMIT,
    async handle({ caller, body }) {
      const { userId } = signedIn(caller);
      const { bookingId } = parse(bodySchema, body);
      const { booking, couponCode } = await parts.bookings.letGo(bookingId, userId);
      return json({ released: booking.status === 'cancelled', status: booking.status, couponCode });
    },
  };
}
