import { z } from 'zod';
import { couponExpiry, couponSchema } from '#rules/coupons.ts';
import { isStudioDate } from '#rules/studio-time.ts';

const text = z.string().trim();
/** The form of a discount code as it is typed. */
const typedCouponSchema = z.object({
  code: text,
  discount_type: text,
  discount_value: text,
  description: text,
  min_hours: text,
  max_uses: text,
  expires_at: text,
});
export type TypedCoupon = z.input<typeof typedCouponSchema>;

/** Converts the texts to values. Empty optional fields become null; a text that is no number or date becomes a value that fails. */
export function couponFields(typed: TypedCoupon): Record<string, unknown> {
  const { code, discount_type, description, expires_at: day } = typed;
  return {
    code,
    discount_type,
    // Two decimals, as in the column.
    discount_value: Math.round((numberOf(typed.discount_value) ?? 0) * 100) / 100,
    description: description === '' ? null : description,
    min_hours: numberOf(typed.min_hours),
    max_uses: numberOf(typed.max_uses),
    expires_at: isStudioDate(day) ? couponExpiry(day).toISOString() : day === '' ? null : 'no date',
  };
}

/** 0 fails with the same message as a number that is not positive. */
function numberOf(typed: string): number | null {
  if (typed === '') return null;
  const number = Number(typed);
  return Number.isNaN(number) ? 0 : number;
}

/** The form of a discount code, checked by the rules for coupons. */
export const couponFormSchema = typedCouponSchema.transform(couponFields).pipe(couponSchema);
