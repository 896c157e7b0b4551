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

/** The draft that lies with the server, when this tab has none (decisions T-48). */
export async function readServerDraft(): Promise<BookingDraft | null> {
  const { data, error } = await supabase.from('booking_drafts').select('data').maybeSingle();
  if (error) throw error;
  const draft: unknown = data?.data;
  return isDraft(draft) && Date.parse(draft.start_time) > Date.now() - 1_800_000 ? draft : null;
}

/** Keeps the draft with the server as well, for another tab or phone. A cache: failing to write it stops nothing. */
export async function keepServerDraft(draft: BookingDraft): Promise<void> {
  const { error } = await supabase.from('booking_drafts').upsert({ data: draft });
  // oxlint-disable-next-line no-console
  if (error) console.warn('the draft could not be kept with the server', error.message);
}

/** What is paid is no draft any more. */
export async function dropServerDraft(): Promise<void> {
  const { data } = await supabase.auth.getSession();
  if (!data.session) return;
  const { error } = await supabase.from('booking_drafts').delete().eq('user_id', data.session.user.id);
  // oxlint-disable-next-line no-console
  if (error) console.warn('the draft could not be dropped', error.message);
}

/**
 * Holds the hours and answers where to pay; `url` is null while the payment provider has not answered. `total` is what was shown, in
 * dollars; `couponCode` is '' for none, and null leaves it to one's own hold of these hours. Throws `AppError`, `price_changed` with the
 * new `total`.
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

/** Gives up an unpaid hold; `released` is false when it is paid, or when the payment service has not let go of it yet. */
export function releaseHold(
  bookingId: string,
): Promise<{ released: boolean; status: string; couponCode: string | null }> {
  return callFunction('release-hold', { bookingId });
}

export type PaymentState = {
  readonly paid: boolean;
  /** The payment provider has not answered yet; the rest is what the studio knows itself. */
  readonly state?: 'asking';
  readonly status: 'pending' | 'confirmed' | 'cancelled';
  /** `processing`: the customer has finished, the money takes days. `returning`: it is on its way back. */
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
