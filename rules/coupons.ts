import { z } from 'zod';
import type { CouponTerms } from './coupon-discount.ts';
import { dollarsToCents, formatMoney } from './money.ts';
import { dayBounds, parseInstant, type StudioDate } from './studio-time.ts';

export { applyCoupon, type CouponTerms } from './coupon-discount.ts';

export const COUPON_CODE_MAX = 50;
export const COUPON_DESCRIPTION_MAX = 500;
const COUPON_VALUE_MAX = 100_000;
const COUPON_PERCENT_MAX = 100;
/** Staff without the permission `money` can create codes up to this percentage. A higher percentage, or a discount in dollars, gives money away. */
export const PERCENT_WITHOUT_MONEY = 50;

/** The text of the coupon field. */
export const couponCodeSchema = z
  .string()
  .trim()
  .min(1, 'Coupon code cannot be empty')
  .max(COUPON_CODE_MAX, 'Coupon code must be less than 50 characters')
  .transform((code) => code.toUpperCase());

/** A discount in percent or in dollars. */
const discountValue = z
  .number()
  .positive('Discount value must be positive')
  .max(COUPON_VALUE_MAX, 'Discount value is too large')
  .refine((value) => value < 0 || dollarsToCents(value) !== null, 'Discount value has at most two decimals');

/** A coupon that staff create. */
export const couponSchema = z
  .object({
    code: z
      .string()
      .trim()
      .min(1, 'Code is required')
      .max(COUPON_CODE_MAX)
      .transform((code) => code.toUpperCase()),
    discount_type: z.enum(['percentage', 'fixed'], { error: 'Discount type must be percentage or fixed' }),
    discount_value: discountValue,
    description: z.string().max(COUPON_DESCRIPTION_MAX).nullish(),
    min_hours: z
      .number()
      .positive('Minimum hours must be positive')
      .multipleOf(0.5, 'Minimum hours are whole or half hours')
      .nullish(),
    max_uses: z
      .int({ error: 'Max uses must be a positive integer' })
      .positive('Max uses must be a positive integer')
      .nullish(),
    expires_at: z
      .string()
      .refine((text) => parseInstant(text) !== null, 'Please enter a valid expiry date')
      .nullish(),
    per_user_limit: z
      .int({ error: 'Uses per customer must be a positive integer' })
      .positive('Uses per customer must be a positive integer')
      .nullish(),
    customer_email: z.email('Please enter a valid email address').max(255).nullish(),
    valid_from: z
      .string()
      .refine((text) => parseInstant(text) !== null, 'Please enter a valid first day')
      .nullish(),
    /** 0 = Sunday. */
    weekdays: z.array(z.int().min(0).max(6)).min(1).max(6).nullish(),
    from_hour: z.int().min(0).max(23).nullish(),
    until_hour: z.int().min(1).max(24).nullish(),
  })
  .refine((coupon) => coupon.discount_type !== 'percentage' || coupon.discount_value <= COUPON_PERCENT_MAX, {
    path: ['discount_value'],
    message: 'Discount value is too large',
  })
  .refine(({ from_hour: from, until_hour: until }) => (from ?? null) === null || from !== (until ?? 0) % 24, {
    path: ['until_hour'],
    message: 'The hours must begin and end at different times',
  })
  .refine(({ from_hour: from, until_hour: until }) => ((from ?? null) === null) === ((until ?? null) === null), {
    path: ['until_hour'],
    message: 'Choose both hours, or neither',
  })
  .refine(({ valid_from: from, expires_at: end }) => !from || !end || Date.parse(from) < Date.parse(end), {
    path: ['expires_at'],
    message: 'The code must not expire before its first day',
  });

export const GIFT_CODES_MAX = 500;
/** A batch of gift codes that staff make. */
export const giftSchema = z
  .object({
    prefix: z
      .string()
      .trim()
      .toUpperCase()
      .regex(/^[A-Z0-9]{1,20}$/, 'The codes begin with 1 to 20 letters or digits'),
    amount: z
      .int({ error: `Make 1 to ${GIFT_CODES_MAX} codes` })
      .min(1, `Make 1 to ${GIFT_CODES_MAX} codes`)
      .max(GIFT_CODES_MAX, `Make 1 to ${GIFT_CODES_MAX} codes`),
    discount_type: z.enum(['percentage', 'fixed'], { error: 'Discount type must be percentage or fixed' }),
    discount_value: discountValue,
    description: z.string().max(COUPON_DESCRIPTION_MAX).nullable(),
    expires_at: z
      .string()
      .refine((text) => parseInstant(text) !== null, 'Please enter a valid expiry date')
      .nullable(),
  })
  .refine((gift) => gift.discount_type !== 'percentage' || gift.discount_value <= COUPON_PERCENT_MAX, {
    path: ['discount_value'],
    message: 'Discount value is too large',
  });

/** Formats a discount: "20% off", "$15 off your booking", "$12.50 off your booking". */
export function couponLabel(terms: Pick<CouponTerms, 'discountType' | 'discountValue'>): string {
  return terms.discountType === 'percentage'
    ? `${terms.discountValue}% off`
    : `${formatMoney(Math.round(terms.discountValue * 100))} off your booking`;
}

/** Returns when a code that expires on a day stops working: at the end of that day in Sydney. */
export function couponExpiry(day: StudioDate): Date {
  return new Date(dayBounds(day).end.getTime() - 1);
}
