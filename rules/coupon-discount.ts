// Separate from the schemas, so that the booking page can compute prices without loading zod.

import type { Slot } from './slots.ts';
import { getWeekday } from './studio-time.ts';

/** The discount of a coupon. */
export type CouponTerms = {
  readonly code: string;
  readonly discountType: 'percentage' | 'fixed';
  /** In percent or in AUD dollars, depending on `discountType`. */
  readonly discountValue: number;
};

/** Computes the cents off a subtotal, rounded half-up and never more than the subtotal. Values have at most two decimals, like their column. */
export function applyCoupon(subtotalCents: number, terms: CouponTerms): number {
  // Hundredths of a percent, or cents. In floating point, 2.01% of $50 is slightly less than 100.5 cents and would be rounded down.
  const hundredths = Math.round(terms.discountValue * 100);
  const off =
    terms.discountType === 'percentage' ? Math.floor((subtotalCents * hundredths + 5_000) / 10_000) : hundredths;
  return Math.min(Math.max(off, 0), subtotalCents);
}

/** Whether a text is a valid kind of discount. */
export function isDiscountType(text: string | null): text is CouponTerms['discountType'] {
  return text === 'percentage' || text === 'fixed';
}

/** The hours at which a coupon works, by Sydney's clock. Null in all fields if it always works. */
export type CouponHours = {
  /** 0 = Sunday. */
  readonly weekdays: readonly number[] | null;
  readonly fromHour: number | null;
  /** The first hour at which the coupon no longer works. If it is smaller than `fromHour`, the hours run past midnight. */
  readonly untilHour: number | null;
  /** The hours in words, such as "Monday to Thursday from 9 am to 5 pm". */
  readonly worksWhen: string | null;
};

/** Whether a coupon works at all of these hours. Only the page uses it: the database decides (`private.coupon_misses_hours`). */
export function worksAt({ weekdays, fromHour, untilHour }: CouponHours, slots: readonly Slot[]): boolean {
  return slots.every(
    ({ date, hour }) =>
      (weekdays === null || weekdays.includes(getWeekday(date))) &&
      (fromHour === null || untilHour === null || isBetween(hour, fromHour, untilHour)),
  );
}

const isBetween = (hour: number, from: number, until: number): boolean =>
  from < until ? hour >= from && hour < until : hour >= from || hour < until;
