import type { BookingDraft } from '#web/lib/drafts.ts';
import { type Booking, parseRow } from '#web/data/bookings/booking.ts';
import { seriesField } from '#web/data/drafts/series-draft.ts';
import { type CallAnswer, callFunction } from '#web/data/fetch-client.ts';
import type { Customer } from './customer.ts';

/**
 * Holds the hours and returns the pay page. `url` is null until the payment provider has answered. `total`: the price on the screen, in
 * dollars. `couponCode`: '' for no coupon; null keeps the coupon of the customer's hold of these hours. Throws `AppError`; its code is
 * `price_changed` if the price differs, and it then has the new `total`.
 */
export function pay(input: {
  draft: BookingDraft;
  total: number;
  /**
   * The parts of the total in dollars, in the format of the specification: price, volume discount and coupon discount. The server computes
   * its own.
   */
  parts: { readonly subtotal: number; readonly discount: number; readonly couponDiscount: number };
  customer: Customer;
  couponCode: string | null;
  /** The version of the terms that the customer has just accepted; null if they were accepted earlier. */
  termsVersion: string | null;
  userId: string;
}): Promise<CallAnswer<'create-payment'>> {
  const { draft } = input;
  return callFunction('create-payment', {
    amount: input.total,
    description: `${draft.studio_name}, ${draft.total_hours} h`,
    ...input.customer,
    metadata: {
      studioId: draft.studio_id,
      studioName: draft.studio_name,
      totalHours: draft.total_hours,
      startTime: draft.start_time,
      endTime: draft.end_time,
      couponCode: input.couponCode,
      ...input.parts,
      ...seriesField(draft),
      userId: input.userId,
      termsAccepted: input.termsVersion !== null,
      termsVersion: input.termsVersion,
    },
  });
}

type Answer = CallAnswer<'verify-payment'>;
/** A paid booking. For a series, it has the hours and amounts of all its bookings. */
export type PaidBooking = Pick<
  Booking,
  | 'studioId'
  | 'studioName'
  | 'startTime'
  | 'endTime'
  | 'totalHours'
  | 'baseCents'
  | 'discountCents'
  | 'couponCents'
  | 'finalCents'
>;
/** The state of a payment. Only the owner receives `booking` and `series`. */
export type PaymentState = Omit<Answer, 'booking' | 'series'> & {
  readonly booking?: PaidBooking;
  readonly series?: readonly Pick<Booking, 'reference' | 'startTime' | 'endTime'>[];
};

export async function verifyPayment(sessionId: string): Promise<PaymentState> {
  const { booking, series, ...state } = await callFunction('verify-payment', { sessionId });
  return {
    ...state,
    ...(booking === undefined ? {} : { booking: parsePaid(booking) }),
    ...(series === undefined ? {} : { series: series.map(parseRow) }),
  };
}

/** Parses a paid booking. `discount_amount` includes the coupon discount. */
function parsePaid(booking: NonNullable<Answer['booking']>): PaidBooking {
  const { discount_amount: discount, coupon_discount: coupon, ...row } = booking;
  const couponCents = Math.round(coupon * 100);
  return { ...parseRow(row), couponCents, discountCents: Math.round(discount * 100) - couponCents };
}
