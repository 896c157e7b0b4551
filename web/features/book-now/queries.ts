import { type CallAnswer, callFunction } from '#web/data/fetch-client.ts';
import { readProfile } from '#web/data/profile.ts';
import { seriesField } from '#web/data/drafts/series-draft.ts';
import type { BookingDraft } from '#web/lib/drafts.ts';

/**
 * Starts the payment for a customer with a verified ID and accepted terms. Name and contact details come from the account. `couponCode`: ''
 * for no coupon; null keeps the coupon of the customer's hold of these hours. `url` is null until the payment provider has answered. Throws
 * `AppError`.
 */
export async function createPayment(
  draft: BookingDraft,
  couponCode: string | null,
  userId: string,
): Promise<CallAnswer<'create-payment'>> {
  const { full_name, email, phone, address } = await readProfile(userId);
  return callFunction('create-payment', {
    bookingData: { ...draft, coupon_code: couponCode, series: undefined, ...seriesField(draft) },
    customerData: { full_name, email, phone, address },
  });
}
