import { z } from 'zod';

export type CouponTerms = {
  readonly code: string;
  readonly discountType: 'percentage' | 'fixed';
  /** Percent, or AUD dollars. */
  readonly discountValue: number;
};

/** What somebody types into the coupon field. */
export const couponCodeSchema = z
  .string()
  .trim()
  .min(1, 'Coupon code cannot be empty')
  .max(50, 'Coupon code must be less than 50 characters')
  .transform((code) => code.toUpperCase());

/** What staff create (spec section 5; decisions T-39). */
export const couponSchema = z
  .object({
    code: z
      .string()
      .trim()
      .min(1, 'Code is required')
      .max(50)
      .transform((code) => code.toUpperCase()),
    discount_type: z.enum(['percentage', 'fixed'], { error: 'Discount type must be percentage or fixed' }),
    discount_value: z.number().positive('Discount value must be positive').max(100_000, 'Discount value is too large'),
    description: z.string().max(500).nullish(),
    min_hours: z.number().positive('Minimum hours must be positive').nullish(),
    max_uses: z
      .int({ error: 'Max uses must be a positive integer' })
      .positive('Max uses must be a positive integer')
      .nullish(),
    expires_at: z.string().nullish(),
  })
  .refine((coupon) => coupon.discount_type !== 'percentage' || coupon.discount_value <= 100, {
    path: ['discount_value'],
    message: 'Discount value is too large',
  });

/** Cents off a subtotal, rounded half-up, never more than it. */
export function applyCoupon(subtotalCents: number, terms: CouponTerms): number {
  const off =
    terms.discountType === 'percentage'
      ? Math.floor((subtotalCents * terms.discountValue) / 100 + 0.5)
      : Math.round(terms.discountValue * 100);
  return Math.min(Math.max(off, 0), subtotalCents);
}

/** "20% off", "$15 off your booking" (spec section 8). */
export function couponLabel(terms: Pick<CouponTerms, 'discountType' | 'discountValue'>): string {
  return terms.discountType === 'percentage'
    ? `${terms.discountValue}% off`
    : `$${terms.discountValue} off your booking`;
}
