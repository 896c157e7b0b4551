// Separate from the schemas, so that the booking page can compute prices without loading zod.

/** The discount of a coupon. */
export type CouponTerms = {
  readonly code: string;
  readonly discountType: 'percentage' | 'fixed';
  /** Percent, or AUD dollars. */
  readonly discountValue: number;
};

/** Computes cents off a subtotal, rounded half-up and never more than it. Values have at most two decimals, like their column. */
export function applyCoupon(subtotalCents: number, terms: CouponTerms): number {
  // Hundredths of a percent, or cents. In floating point, 2.01% of $50 is slightly under 100.5 cents and would round down.
  const hundredths = Math.round(terms.discountValue * 100);
  const off =
    terms.discountType === 'percentage' ? Math.floor((subtotalCents * hundredths + 5_000) / 10_000) : hundredths;
  return Math.min(Math.max(off, 0), subtotalCents);
}

/** Whether a text names a kind of discount. */
export function isDiscountType(text: string | null): text is CouponTerms['discountType'] {
  return text === 'percentage' || text === 'fixed';
}
