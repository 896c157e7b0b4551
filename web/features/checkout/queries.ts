import { type BookingDraft, isDraft } from '#web/lib/drafts.ts';
import { callFunction, supabase } from '#web/data/client.ts';

export async function readProfile(
  userId: string,
): Promise<{ full_name: string | null; email: string | null; phone: string | null }> {
  const { data, error } = await supabase
    .from('profiles')
    .select('full_name,email,phone')
    .eq('user_id', userId)
    .single();
  if (error) throw error;
  return data;
}

/** Reads the draft stored on the server, for a tab that has none; null when it is missing or its start has passed. */
export async function readServerDraft(): Promise<BookingDraft | null> {
  const { data, error } = await supabase.from('booking_drafts').select('data').maybeSingle();
  if (error) throw error;
  const draft: unknown = data?.data;
  return isDraft(draft) && Date.parse(draft.start_time) > Date.now() - 1_800_000 ? draft : null;
}

/** Stores the draft on the server too, for another tab or phone. Only a cache: a failed write is logged. */
export async function keepServerDraft(draft: BookingDraft): Promise<void> {
  const { error } = await supabase.from('booking_drafts').upsert({ data: draft });
  // oxlint-disable-next-line no-console
  if (error) console.warn('the draft could not be stored on the server', error.message);
}

/** Deletes the stored draft once it is paid for. */
export async function dropServerDraft(): Promise<void> {
  const { data } = await supabase.auth.getSession();
  if (!data.session) return;
  const { error } = await supabase.from('booking_drafts').delete().eq('user_id', data.session.user.id);
  // oxlint-disable-next-line no-console
  if (error) console.warn('the stored draft could not be deleted', error.message);
}

/**
 * Holds the hours and returns the pay page; `url` is null while the payment provider has not answered. `total` is the price shown, in
 * dollars; `couponCode`: '' for none, null keeps the coupon of the customer's hold of these hours. Throws `AppError`, `price_changed` with
 * the new `total`.
 */
export function pay(input: {
  draft: BookingDraft;
  total: number;
  fullName: string;
  email: string;
  phone: string;
  couponCode: string | null;
  userId: string;
}): Promise<{ url: string | null; bookingId: string; total: number }> {
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
      userId: input.userId,
      termsAccepted: true,
    },
  });
}

/** Releases an unpaid hold. `released` is false when it is paid, or when the payment service has not expired its session yet. */
export function releaseHold(
  bookingId: string,
): Promise<{ released: boolean; status: string; couponCode: string | null }> {
  return callFunction('release-hold', { bookingId });
}

export type PaymentState = {
  readonly paid: boolean;
  /** The payment provider has not answered yet; the other fields come from our own database. */
  readonly state?: 'asking';
  readonly status: 'pending' | 'confirmed' | 'cancelled';
  /** `processing`: the customer has finished, the bank takes days. `returning`: a refund is on its way. */
  readonly payment: 'open' | 'processing' | 'paid' | 'failed' | 'expired' | 'returning' | 'returned';
  readonly bookingId: string;
  readonly reference: string;
  readonly booking?: {
    studio_name: string;
    start_time: string;
    end_time: string;
    total_hours: number;
    base_cost: number;
    discount_amount: number;
    coupon_discount: number;
    final_cost: number;
  };
};
export function verifyPayment(sessionId: string): Promise<PaymentState> {
  return callFunction('verify-payment', { sessionId });
}
