import { z } from 'zod';
import { bookingIdField } from '#contracts/core/fields.ts';
import { centsToDollars } from '#rules/money.ts';
import { cancelBooking as cancel, cancelOrder } from '#server/operations/bookings/cancel.ts';
import type { BookingContext } from '#server/operations/bookings/context.ts';
import { parse, signedIn } from './requests.ts';
import { byHand, json } from './responses.ts';
import type { ServerFunction } from './function.ts';

const LIMIT = { name: 'cancel-booking', max: 30, seconds: 60 };
const bodySchema = z.object({ bookingId: bookingIdField, series: z.boolean().default(false) });

/**
 * Cancels the customer's own booking while its terms allow it: `{cancelled, refund: 'full'|'none', amount, byHand?}` (amount in dollars). With `series` all that
 * are left of its order, and the answer has `bookings`, how many, and `kept`, how many it is too late for.
 */
export function cancelBooking(context: { booking: BookingContext }): ServerFunction {
  return {
    methods: ['POST'],
    callers: 'signed-in',
    limit: LIMIT,
    async handle({ caller, body }) {
      const { userId } = signedIn(caller);
      const { bookingId, series } = parse(bodySchema, body);
      if (series) {
        const { cancelled, kept, ...all } = await cancelOrder(context.booking, bookingId, userId);
        return json({
          cancelled: true,
          refund: all.refund,
          amount: centsToDollars(all.amountCents),
          ...byHand(all),
          bookings: cancelled,
          kept,
        });
      }
      const done = await cancel(context.booking, bookingId, userId);
      return json({ cancelled: true, refund: done.refund, amount: centsToDollars(done.amountCents), ...byHand(done) });
    },
  };
}
