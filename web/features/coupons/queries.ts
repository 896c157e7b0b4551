import { type CouponTerms, isDiscountType } from '#rules/coupon-discount.ts';
import { rest } from '#web/data/rest.ts';
import { rowsWith } from '#web/data/rows.ts';

/** Discount of a code, and the minimum hours it needs. */
export type Coupon = CouponTerms & { readonly minHours: number | null };
/** The server refused the code; the message is for people. */
export class CouponRefused extends Error {
  override readonly name = 'CouponRefused';
}
/** Checks a code for so many hours. Throws `CouponRefused` with the server's message. */
export async function validateCoupon(code: string, hours: number): Promise<Coupon> {
  const { data, error } = await rest.rpc('validate_discount_code', { code_input: code, booking_hours: hours });
  if (error) throw error;
  const [answer] = data;
  const [valid] = rowsWith(answer?.is_valid ? [answer] : [], 'code', 'discount_value');
  if (!valid || !isDiscountType(valid.discount_type))
    throw new CouponRefused(answer?.error_message ?? 'Invalid coupon code');
  return {
    code: valid.code,
    discountType: valid.discount_type,
    discountValue: valid.discount_value,
    minHours: valid.min_hours,
  };
}
