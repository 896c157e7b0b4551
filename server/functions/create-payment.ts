import { z } from 'zod';
import { bookingIdField, instantField, phoneField, seriesField } from '#contracts/core/fields.ts';
import { dollarsToCents, centsToDollars } from '#rules/money.ts';
import type { BookingContext } from '#server/operations/bookings/context.ts';
import { holdBooking } from '#server/operations/bookings/hold.ts';
import { parse, signedIn } from './requests.ts';
import { json } from './responses.ts';
import type { ServerFunction } from './function.ts';

const LIMIT = { name: 'create-payment', max: 20, seconds: 60 };

/** Null keeps the coupon of the caller's own hold of these hours; '' is none. */
const coupon = z.string().trim().max(50).nullish();
/** Converts the dollars on the customer's screen to cents; null when it showed none. An impossible amount is refused, never ignored. */
const shown = z
  .number()
  .nonnegative()
  .max(100_000)
  .transform((dollars, context) => {
    const cents = dollarsToCents(dollars);
    if (cents === null) context.addIssue({ code: 'custom', message: 'at most two decimals' });
    return cents;
  })
  .nullish();

/** Whether the customer accepts the terms, and the version that was shown; without one the current terms are meant. */
const terms = { termsAccepted: z.boolean().optional(), termsVersion: z.string().min(1).max(40).nullish() };

/** The booking page's shape: `{bookingData, customerData}`. */
const fromBookingPage = z
  .looseObject({
    bookingData: z.looseObject({
      studio_id: bookingIdField,
      start_time: instantField,
      end_time: instantField,
      final_cost: shown,
      coupon_code: coupon,
      series: seriesField,
    }),
    customerData: z.looseObject({ phone: phoneField, ...terms }).nullish(),
  })
  .transform(({ bookingData, customerData }) => ({
    studioId: bookingData.studio_id,
    startTime: bookingData.start_time,
    endTime: bookingData.end_time,
    series: bookingData.series,
    couponCode: bookingData.coupon_code ?? null,
    contactPhone: customerData?.phone ?? null,
    shownTotalCents: bookingData.final_cost ?? null,
    termsAccepted: customerData?.termsAccepted === true,
    termsVersion: customerData?.termsVersion ?? null,
  }));

/** The checkout's shape: `{amount, metadata}`. Its amount is only compared with our price, never charged. */
const fromCheckout = z
  .looseObject({
    amount: shown,
    customerPhone: phoneField,
    metadata: z.looseObject({
      studioId: bookingIdField,
      startTime: instantField,
      endTime: instantField,
      couponCode: coupon,
      series: seriesField,
      ...terms,
    }),
  })
  .transform(({ amount, customerPhone, metadata }) => ({
    studioId: metadata.studioId,
    startTime: metadata.startTime,
    endTime: metadata.endTime,
    series: metadata.series,
    couponCode: metadata.couponCode ?? null,
    contactPhone: customerPhone ?? null,
    shownTotalCents: amount ?? null,
    termsAccepted: metadata.termsAccepted === true,
    termsVersion: metadata.termsVersion ?? null,
  }));

/**
 * Holds the hours, with `series: {dates}` the same hours on each date as one order, and answers where to pay: `{url, bookingId, reference, total}` (total in dollars). Answers 202 with
 * `{url: null, pending: true, …}` while the provider has not answered: the hours are held, and a repeated call gets the URL later.
 */
export function createPayment(context: { booking: BookingContext }): ServerFunction {
  return {
    methods: ['POST'],
    callers: 'signed-in',
    limit: LIMIT,
    async handle({ caller, body }) {
      const { userId, email } = signedIn(caller);
      const fromCheckoutPage = body !== null && typeof body === 'object' && 'metadata' in body;
      const input = fromCheckoutPage ? parse(fromCheckout, body) : parse(fromBookingPage, body);
      const held = await holdBooking(context.booking, {
        userId,
        ip: caller.ip,
        email,
        studioId: input.studioId,
        startTime: input.startTime,
        endTime: input.endTime,
        series: input.series,
        couponCode: input.couponCode,
        contactPhone: input.contactPhone,
        termsAccepted: input.termsAccepted,
        termsVersion: input.termsVersion,
        shownTotalCents: input.shownTotalCents,
      });
      const pending = held.url === null;
      return json(
        {
          url: held.url,
          ...(pending ? { pending } : {}),
          bookingId: held.bookingId,
          reference: held.reference,
          total: centsToDollars(held.totalCents),
        },
        pending ? 202 : 200,
      );
    },
  };
}
