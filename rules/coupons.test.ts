import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { applyCoupon, couponCodeSchema, couponExpiry, couponLabel, couponSchema, type CouponTerms } from './coupons.ts';

const percent = (discountValue: number): CouponTerms => ({ code: 'X', discountType: 'percentage', discountValue });
const dollars = (discountValue: number): CouponTerms => ({ code: 'X', discountType: 'fixed', discountValue });
const coupon = { code: 'party20', discount_type: 'percentage', discount_value: 20 };
const messages = (schema: z.ZodType, value: unknown): string[] =>
  schema.safeParse(value).error?.issues.map((issue) => issue.message) ?? [];

describe('a coupon', () => {
  it.each([
    [4_900, percent(12.5), 613],
    [5_000, percent(2.01), 101],
    [15_000, percent(1.15), 173],
    [14_700, percent(20), 2_940],
    [14_700, percent(100), 14_700],
    [14_700, dollars(15), 1_500],
    [14_700, dollars(12.5), 1_250],
    [14_700, dollars(147.01), 14_700],
    [0, percent(50), 0],
  ])('takes from %i cents by %o exactly %i', (subtotal, terms, off) => {
    expect(applyCoupon(subtotal, terms)).toBe(off);
  });

  it('rounds half-up to the cent like exact arithmetic', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 200_000 }), fc.integer({ min: 1, max: 10_000 }), (subtotal, hundredths) => {
        const exact = (BigInt(subtotal) * BigInt(hundredths) * 2n + 10_000n) / 20_000n;
        expect(applyCoupon(subtotal, percent(hundredths / 100))).toBe(Number(exact));
      }),
      { numRuns: 2_000 },
    );
  });

  it('takes between nothing and the subtotal, and never less for a higher value [spec 9.6, 9.35]', () => {
    const terms = fc.record({
      code: fc.constant('X'),
      discountType: fc.constantFrom('percentage' as const, 'fixed' as const),
      discountValue: fc.integer({ min: 1, max: 10_000 }).map((hundredths) => hundredths / 100),
    });
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 200_000 }), terms, (subtotal, coupon) => {
        const off = applyCoupon(subtotal, coupon);
        expect(off).toBeGreaterThanOrEqual(0);
        expect(off).toBeLessThanOrEqual(subtotal);
        expect(Number.isSafeInteger(off)).toBe(true);
        expect(
          applyCoupon(subtotal, { ...coupon, discountValue: Math.min(100, coupon.discountValue + 1) }),
        ).toBeGreaterThanOrEqual(off);
      }),
    );
  });

  it('is described in percent or dollars [spec 8.24, 9.7]', () => {
    expect(couponLabel(percent(20))).toBe('20% off');
    expect(couponLabel(percent(12.5))).toBe('12.5% off');
    expect(couponLabel(dollars(15))).toBe('$15 off your booking');
    expect(couponLabel(dollars(12.5))).toBe('$12.50 off your booking');
  });
});

describe('the coupon field', () => {
  it('trims the code and converts it to capitals [spec 3.21, 5.22]', () => {
    expect(couponCodeSchema.parse(' party20 ')).toBe('PARTY20');
    expect(couponCodeSchema.parse('x'.repeat(50))).toBe('X'.repeat(50));
  });
  it.each([
    ['', 'Coupon code cannot be empty'],
    ['   ', 'Coupon code cannot be empty'],
    ['x'.repeat(51), 'Coupon code must be less than 50 characters'],
  ])('refuses "%s" [spec 5.24]', (value, message) => {
    expect(messages(couponCodeSchema, value)).toEqual([message]);
  });
});

describe('a new coupon', () => {
  it('accepts missing and null optional values [spec 3.22]', () => {
    expect(couponSchema.parse(coupon)).toEqual({ ...coupon, code: 'PARTY20' });
    const empty = { description: null, min_hours: null, max_uses: null, expires_at: null };
    expect(couponSchema.parse({ ...coupon, ...empty })).toEqual({ ...coupon, ...empty, code: 'PARTY20' });
    expect(messages(couponSchema, { ...coupon, min_hours: 0.5, max_uses: 1, description: 'x'.repeat(500) })).toEqual(
      [],
    );
    expect(messages(couponSchema, { ...coupon, discount_type: 'fixed', discount_value: 100_000 })).toEqual([]);
  });
  it.each([
    [{ code: ' ' }, 'Code is required'],
    [{ discount_type: 'gift' }, 'Discount type must be percentage or fixed'],
    [{ discount_type: undefined }, 'Discount type must be percentage or fixed'],
    [{ discount_value: 0 }, 'Discount value must be positive'],
    [{ discount_value: -5 }, 'Discount value must be positive'],
    [{ discount_value: 100.01 }, 'Discount value is too large'],
    [{ discount_type: 'fixed', discount_value: 100_000.01 }, 'Discount value is too large'],
    [{ min_hours: 0 }, 'Minimum hours must be positive'],
    [{ max_uses: 0 }, 'Max uses must be a positive integer'],
    [{ max_uses: 1.5 }, 'Max uses must be a positive integer'],
    [{ max_uses: 'many' }, 'Max uses must be a positive integer'],
  ])('with %o is refused', (change, message) => {
    expect(messages(couponSchema, { ...coupon, ...change })).toEqual([message]);
  });
  it('has a code of at most 50 and a description of at most 500 characters [spec 5.28, 9.12]', () => {
    expect(couponSchema.safeParse({ ...coupon, code: 'x'.repeat(51) }).success).toBe(false);
    expect(couponSchema.safeParse({ ...coupon, description: 'x'.repeat(501) }).success).toBe(false);
  });
});

it('a code that expires on a day works until that day ends in Sydney', () => {
  expect(couponExpiry('2026-12-31').toISOString()).toBe('2026-12-31T12:59:59.999Z');
  // This also holds on the days the clocks change.
  expect(couponExpiry('2026-10-04').toISOString()).toBe('2026-10-04T12:59:59.999Z');
  expect(couponExpiry('2026-04-05').toISOString()).toBe('2026-04-05T13:59:59.999Z');
});
