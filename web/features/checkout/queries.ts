import type { BookingDraft } from '#web/lib/drafts.ts';
import { seriesField } from '#web/data/drafts/series-draft.ts';
import { type CallAnswer, callFunction } from '#web/data/fetch-client.ts';

/**
 * Holds the hours and returns the pay page; `url` is null while the payment provider has not answered. `total` is the price shown, in
 * dollars; `couponCode`: '' for none, null keeps the coupon of the customer's hold of these hours. Throws `AppError`, `price_changed` with
 * the new `total`.
 */
export function pay(input: {
  draft: BookingDraft;
  total: number;
  /** Price, volume discount and coupon discount of the total, in dollars, as the specification sends them. The server computes its own. */
  parts: { readonly subtotal: number; readonly discount: number; readonly couponDiscount: number };
  fullName: string;
  email: string;
  phone: string;
  couponCode: string | null;
  /** The version of the terms that the customer has just accepted; null when they were accepted before. */
  termsVersion: string | null;
  userId: string;
}): Promise<CallAnswer<'create-payment'>> {
  const { draft } = input;
  return callFunction('create-payment', {
    amount: input.total,
    description: `${draft.studio_name}, ${draft.total_hours} h`,
    customerEmail: input.email,
    customerName: input.fullName,
    customerPhone: input.phone,
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

export type PaymentState = CallAnswer<'verify-payment'>;
export function verifyPayment(sessionId: string): Promise<PaymentState> {
  return callFunction('verify-payment', { sessionId });
}
