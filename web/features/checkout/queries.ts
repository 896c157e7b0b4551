import type { CouponTerms } from '#rules/coupons.ts';
import { type BookingDraft, isDraft } from '#web/lib/drafts.ts';
import { callFunction, supabase } from '#web/lib/supabase.ts';

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

/** What a code is worth here and now. Throws with the server's words when it is worth nothing. */
export async function validateCoupon(code: string, hours: number): Promise<CouponTerms> {
  const { data, error } = await supabase.rpc('validate_discount_code', { code_input: code, booking_hours: hours });
  if (error) throw error;
  const row:
    | {
        is_valid: boolean;
        error_message: string | null;
        code: string;
        discount_type: CouponTerms['discountType'];
        discount_value: number;
      }
    | undefined = data?.[0];
  if (!row?.is_valid) throw new Error(row?.error_message ?? 'Invalid coupon code');
  return { code: row.code, discountType: row.discount_type, discountValue: Number(row.discount_value) };
}

export function pay(input: {
  draft: BookingDraft;
  total: number;
  fullName: string;
  email: string;
  couponCode: string | null;
  userId: string;
}): Promise<{ url: string; bookingId: string; total: number }> {
  const { draft } = input;
  return callFunction('create-payment', {
    amount: input.total,
    description: `${draft.studio_name}, ${draft.total_hours} h`,
    customerEmail: input.email,
    customerName: input.fullName,
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

export function releaseHold(bookingId: string): Promise<{ released: boolean; status: string }> {
  return callFunction('release-hold', { bookingId });
}

export type PaymentState = {
  readonly paid: boolean;
  readonly status: 'pending' | 'confirmed' | 'cancelled';
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
