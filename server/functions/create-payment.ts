import { z } from 'zod';
import { dollarsToCents, centsToDollars } from '#rules/money.ts';
import type { TakeLimit } from '#server/http/limits.ts';
import type { Bookings } from '#server/operations/bookings.ts';
import { bookingIdField, instantField, json, parse, signedIn, take } from './answers.ts';
import type { ServerFunction } from './function.ts';

const LIMIT = { name: 'create-payment', max: 20, seconds: 60 };

const coupon = z.string().trim().max(50).nullish();
const shown = z.number().finite().nonnegative().max(100_000).nullish();

/** From the checkout page: what is booked stands in `bookingData`; money in the body is only what was shown, never what is charged. */
const bodySchema = z
  .looseObject({
    bookingData: z
      .looseObject({
        studio_id: bookingIdField.optional(),
        studioId: bookingIdField.optional(),
        start_time: instantField.optional(),
        startTime: instantField.optional(),
        end_time: instantField.optional(),
        endTime: instantField.optional(),
        final_cost: shown,
        coupon_code: coupon,
      })
      .optional(),
    studioId: bookingIdField.optional(),
    startTime: instantField.optional(),
    endTime: instantField.optional(),
    couponCode: coupon,
    amount: shown,
    termsAccepted: z.boolean().optional(),
  })
  .transform((body) => {
    const data = body.bookingData;
    return {
      studioId: body.studioId ?? data?.studio_id ?? data?.studioId,
      startTime: body.startTime ?? data?.start_time ?? data?.startTime,
      endTime: body.endTime ?? data?.end_time ?? data?.endTime,
      couponCode: body.couponCode || data?.coupon_code || null,
      shownTotal: body.amount ?? data?.final_cost ?? null,
      termsAccepted: body.termsAccepted === true,
    };
  })
  .pipe(
    z.object({
      studioId: bookingIdField,
      startTime: z.date(),
      endTime: z.date(),
      couponCode: z.string().nullable(),
      shownTotal: z.number().nullable(),
      termsAccepted: z.boolean(),
    }),
  );

/** Holds the hours and answers where to pay: `{url, bookingId, reference, total}` (total in dollars). */
export function createPayment(parts: { bookings: Bookings; limits: TakeLimit }): ServerFunction {
  return {
    methods: ['POST'],
    async handle({ caller, body }) {
      const { userId, email } = signedIn(caller);
      await take(parts.limits, LIMIT, `user:${userId}`);
      const wanted = parse(bodySchema, body);
      const held = await parts.bookings.hold({
        userId,
        email,
        studioId: wanted.studioId,
        startTime: wanted.startTime,
        endTime: wanted.endTime,
        couponCode: wanted.couponCode,
        termsAccepted: wanted.termsAccepted,
        shownTotalCents: wanted.shownTotal === null ? null : dollarsToCents(wanted.shownTotal),
      });
      return json({ url: held.url, bookingId: held.bookingId, reference: held.reference, total: centsToDollars(held.totalCents) });
    },
  };
}
