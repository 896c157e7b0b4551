import type { CouponTerms } from '#rules/coupons.ts';
import { supabase } from '#web/lib/supabase.ts';

type Answer = {
  readonly is_valid: boolean;
  readonly error_message: string | null;
  readonly code: string;
  readonly discount_type: CouponTerms['discountType'];
  readonly discount_value: number;
};

/** What a code is worth here and now. Throws with the server's words when it is worth nothing. */
export async function validateCoupon(code: string, hours: number): Promise<CouponTerms> {
  const { data, error } = await supabase.rpc('validate_discount_code', { code_input: code, booking_hours: hours });
  if (error) throw error;
  const rows: readonly Answer[] = data ?? [];
  const [row] = rows;
  if (!row?.is_valid) throw new Error(row?.error_message ?? 'Invalid coupon code');
  return { code: row.code, discountType: row.discount_type, discountValue: Number(row.discount_value) };
}
