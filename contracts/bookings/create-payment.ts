import { z } from 'zod';
import { dollarsToCents } from '#rules/money.ts';
import { defineCall } from '../core/define-call.ts';
import { eitherShape } from '../core/either-shape.ts';
import { bookingIdField, instantField, phoneField, seriesField } from '../core/fields.ts';

const coupon = z
  .string()
  .trim()
  .max(50)
  .nullish()
  .describe('Null keeps the discount code of the caller’s own hold of these hours. An empty text removes it.');

/** Converts the dollars on the customer's screen to cents. Refuses an invalid amount instead of ignoring it. */
const shown = z
  .number()
  .nonnegative()
  .max(100_000)
  .transform((dollars, context) => {
    const cents = dollarsToCents(dollars);
    if (cents === null) context.addIssue({ code: 'custom', message: 'at most two decimals' });
    return cents;
  })
  .nullish()
  .describe('The total on the customer’s screen in dollars. It is only compared with the price, never charged.');

const terms = {
  termsAccepted: z.boolean().optional(),
  termsVersion: z
    .string()
    .min(1)
    .max(40)
    .nullish()
    .describe('The version of the terms that was shown. Without it the current terms are meant.'),
};

/** What a customer enters in the checkout. The operations pass each field on to the database under its name here. */
export type CheckoutDetails = {
  /** Formatted by `storedPhone`; null if no number was given. */
  readonly contactPhone: string | null;
};

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
    details: { contactPhone: customerData?.phone ?? null } satisfies CheckoutDetails,
    termsAccepted: customerData?.termsAccepted === true,
    termsVersion: customerData?.termsVersion ?? null,
    shownTotalCents: bookingData.final_cost ?? null,
  }));

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
    details: { contactPhone: customerPhone ?? null } satisfies CheckoutDetails,
    termsAccepted: metadata.termsAccepted === true,
    termsVersion: metadata.termsVersion ?? null,
    shownTotalCents: amount ?? null,
  }));

const isFromCheckout = (body: unknown): boolean => body !== null && typeof body === 'object' && 'metadata' in body;

export const createPayment = defineCall({
  name: 'create-payment',
  summary:
    'Holds hours and answers with the address of the pay page. With `series` it holds the same hours on each date as ' +
    'one series. The checkout sends `metadata`, the booking page `bookingData`. A repeated call answers with the same ' +
    'payment.',
  methods: ['POST'],
  callers: 'signed-in',
  limit: { max: 20, seconds: 60 },
  body: eitherShape(isFromCheckout, fromCheckout, fromBookingPage),
  answer: z.strictObject({
    url: z
      .url()
      .nullable()
      .describe(
        'The pay page, or the result page if there is nothing to pay. Null while the provider has not answered.',
      ),
    pending: z
      .literal(true)
      .optional()
      .describe(
        'The provider has not answered yet. The hours are held, and a later call gets the URL. The status is 202.',
      ),
    bookingId: z.uuid().describe('The booking, or the first one of the series.'),
    reference: z.string(),
    total: z.number().describe('In dollars.'),
  }),
  refusals: {
    blocked: { message: 'You can’t book with this account at the moment. Please email studio@example.com.' },
    mail_unconfirmed: { message: 'Please confirm your email address first.' },
    age_required: { message: 'You must be 18 years or older to book.' },
    id_required: { message: 'Please verify your ID before you book.' },
    terms_required: { message: 'Please accept the terms and conditions.', termsVersion: '2026-11-01' },
    slot_taken: {
      message: 'These hours are no longer free on Fri 9 May 2031. Please leave that date out.',
      dates: ['2031-05-09'],
    },
    slot_closed: { message: 'The studio is closed at this time. Please choose another.' },
    price_changed: {
      message: 'The price of this booking has changed. Please check the new total.',
      total: 98,
      couponCode: null,
    },
    coupon_invalid: { message: 'This code has expired.' },
    coupon_exhausted: { message: 'This code has been fully used.' },
    too_many_holds: {
      message:
        'Waiting for your payment: Studio A, Friday 2 May 2031, 10 am to 12 pm (reference 7KQM-4TXR). Pay for one of ' +
        'them or cancel one first.',
      holds: [
        {
          bookingId: '66666666-6666-4666-8666-666666666666',
          reference: '7KQM-4TXR',
          studioName: 'Studio A',
          startTime: '2031-05-02T00:00:00.000Z',
          endTime: '2031-05-02T02:00:00.000Z',
          holdExpiresAt: '2031-05-01T00:15:00.000Z',
        },
      ],
    },
    too_many_hours: {
      message: 'You can hold up to 24 hours in one booking before you pay. Please choose fewer hours.',
      hours: 30,
      fit: 24,
    },
    already_done: {
      message: 'Your payment for booking 7KQM-4TXR is on its way to us, so nothing was changed.',
      bookingId: '66666666-6666-4666-8666-666666666666',
    },
    payment_processing: {
      message: 'Your payment for this booking is being processed. We’ll email you as soon as we know.',
      bookingId: '66666666-6666-4666-8666-666666666666',
    },
    not_found: { message: 'Booking not found' },
  },
  example: {
    body: {
      amount: 98,
      customerPhone: '0412 345 678',
      metadata: {
        studioId: '55555555-5555-4555-8555-555555555555',
        startTime: '2031-05-02T00:00:00Z',
        endTime: '2031-05-02T02:00:00Z',
        couponCode: null,
        termsAccepted: true,
        termsVersion: '2026-11-01',
      },
    },
    answer: {
      url: 'https://pay.example.com/cs_1',
      bookingId: '66666666-6666-4666-8666-666666666666',
      reference: '7KQM-4TXR',
      total: 98,
    },
  },
});
