// Apart from the schemas: the booking page counts prices and is not to wait for zod.

/** What a code takes off. */
export type CouponTerms = {
  readonly code: string;
  readonly discountType: 'percentage' | 'fixed';
  /** Percent, or AUD dollars. */
  readonly discountValue: number;
};

/** Cents off a subtotal, rounded half-up, never more than it. A value has at most two decimals, as its column (spec section 5). */
export function applyCoupon(subtotalCents: number, terms: CouponTerms): number {
  // Hundredths of a percent, or cents. Whole numbers: in floating point 2.01% of $50 is a hair under 100.5 cents and rounds down.
  const hundredths = Math.round(terms.discountValue * 100);
  const off =
    terms.discountType === 'percentage' ? Math.floor((subtotalCents * hundredths + 5_000) / 10_000) : hundredths;
  return Math.min(Math.max(off, 0), subtotalCents);
}
