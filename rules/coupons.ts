import { z } from 'zod';
import { formatMoney } from './money.ts';

export type CouponTerms = {
  readonly code: string;
  readonly discountType: 'percentage' | 'fixed';
  /** Percent, or AUD dollars. */
  readonly discountValue: number;
};

/** Limits of spec sections 5 and 9; a percentage stops at 100 (decisions T-39). */
export const COUPON_CODE_MAX = 50;
export const COUPON_DESCRIPTION_MAX = 500;
export const COUPON_VALUE_MAX = 100_000;
export const COUPON_PERCENT_MAX = 100;

/** What somebody types into the coupon field. */
export const couponCodeSchema = z
  .string()
  .trim()
  .min(1, 'Coupon code cannot be empty')
  .max(COUPON_CODE_MAX, 'Coupon code must be less than 50 characters')
  .transform((code) => code.toUpperCase());

/** What staff create (spec section 5; decisions T-39). */
export const couponSchema = z
  .object({
    code: z
      .string()
      .trim()
      .min(1, 'Code is required')
      .max(COUPON_CODE_MAX)
      .transform((code) => code.toUpperCase()),
    discount_type: z.enum(['percentage', 'fixed'], { error: 'Discount type must be percentage or fixed' }),
    discount_value: z
      .number()
      .positive('Discount value must be positive')
      .max(COUPON_VALUE_MAX, 'Discount value is too large'),
    description: z.string().max(COUPON_DESCRIPTION_MAX).nullish(),
    min_hours: z.number().positive('Minimum hours must be positive').nullish(),
    max_uses: z
      .int({ error: 'Max uses must be a positive integer' })
      .positive('Max uses must be a positive integer')
      .nullish(),
    expires_at: z.string().nullish(),
  })
  .refine((coupon) => coupon.discount_type !== 'percentage' || coupon.discount_value <= COUPON_PERCENT_MAX, {
    path: ['discount_value'],
    message: 'Discount value is too large',
  });

/** Cents off a subtotal, rounded half-up, never more than it. A value has at most two decimals, as its column (spec section 5). */
export function applyCoupon(subtotalCents: number, terms: CouponTerms): number {
  // Hundredths of a percent, or cents. Whole numbers: in floating point 2.01% of $50 is a hair under 100.5 cents and rounds down.
  const hundredths = Math.round(terms.discountValue * 100);
  const off =
    terms.discountType === 'percentage' ? Math.floor((subtotalCents * hundredths + 5_000) / 10_000) : hundredths;
  return Math.min(Math.max(off, 0), subtotalCents);
}

/** "20% off", "$15 off your booking", "$12.50 off your booking" (spec section 8). */
export function couponLabel(terms: Pick<CouponTerms, 'discountType' | 'discountValue'>): string {
  return terms.discountType === 'percentage'
    ? `${terms.discountValue}% off`
    : `${formatMoney(Math.round(terms.discountValue * 100))} off your booking`;
}
