import { z } from 'zod';
import { bookingIdField } from '#contracts/core/fields.ts';
import type { BookingContext } from '#server/operations/bookings/context.ts';
import { releaseOwnHold } from '#server/operations/bookings/release.ts';
import { parse, signedIn } from './requests.ts';
import { json } from './responses.ts';
import type { ServerFunction } from './function.ts';

const LIMIT = { name: 'release-hold', max: 60, seconds: 60 };
const bodySchema = z.object({ bookingId: bookingIdField });

/** Releases the caller's unpaid hold, after they left the pay page: `{released, status, couponCode}`; `couponCode` is the code it had, or null. */
export function releaseHold(context: { booking: BookingContext }): ServerFunction {
  return {
    methods: ['POST'],
    callers: 'signed-in',
    limit: LIMIT,
    async handle({ caller, body }) {
      const { userId } = signedIn(caller);
      const { bookingId } = parse(bodySchema, body);
      const { booking, couponCode } = await releaseOwnHold(context.booking, bookingId, userId);
      return json({ released: booking.status === 'cancelled', status: booking.status, couponCode });
    },
  };
}
