import { z } from 'zod';
import { centsToDollars } from '#rules/money.ts';
import { cancelBooking as cancel } from '#server/operations/bookings/cancel.ts';
import type { BookingContext } from '#server/operations/bookings/context.ts';
import { bookingIdField, parse, signedIn } from './requests.ts';
import { byHand, json } from './responses.ts';
import type { ServerFunction } from './function.ts';

const LIMIT = { name: 'cancel-booking', max: 30, seconds: 60 };
const bodySchema = z.object({ bookingId: bookingIdField });

/** Cancels the customer's own booking while its terms allow it: `{cancelled, refund: 'full'|'none', amount, byHand?}` (amount in dollars). */
export function cancelBooking(context: { booking: BookingContext }): ServerFunction {
  return {
    methods: ['POST'],
    callers: 'signed-in',
    limit: LIMIT,
    async handle({ caller, body }) {
      const { userId } = signedIn(caller);
      const { bookingId } = parse(bodySchema, body);
      const done = await cancel(context.booking, bookingId, userId);
      return json({ cancelled: true, refund: done.refund, amount: centsToDollars(done.amountCents), ...byHand(done) });
    },
  };
}
