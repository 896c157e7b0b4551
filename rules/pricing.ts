import { applyCoupon, type CouponTerms } from './coupon-discount.ts';
import { slotLabel, sortSlots, type Slot } from './slots.ts';
import { weekdayOf } from './studio-time.ts';
import { settings } from './venue.ts';

/** `rates[weekday][hour]` in cents; weekday 0 = Sunday. */
export type RateTable = readonly (readonly number[])[];

const LOW = 4900;
const MIDDLE = 5900;
const HIGH = 6900;

const hours = (rate: (hour: number) => number): number[] => Array.from({ length: 24 }, (_, hour) => rate(hour));
const mondayToThursday = hours((hour) => (hour >= 18 && hour <= 22 ? MIDDLE : LOW));
const friday = hours((hour) => (hour >= 18 ? HIGH : MIDDLE));
const saturday = hours((hour) => (hour <= 1 || hour >= 18 ? HIGH : MIDDLE));
const sunday = hours((hour) => (hour <= 2 || (hour >= 18 && hour <= 22) ? HIGH : MIDDLE));

/** The price list. */
export const defaultRates: RateTable = [
  sunday,
  mondayToThursday,
  mondayToThursday,
  mondayToThursday,
  mondayToThursday,
  friday,
  saturday,
];

/** Returns the price of one hour in cents; `weekday` 0 = Sunday, `hour` 0–23. Throws RangeError when the table has no such hour. */
export function hourRateCents(weekday: number, hour: number, rates: RateTable = defaultRates): number {
  const rate = rates[weekday]?.[hour];
  if (rate === undefined) throw new RangeError(`no rate for weekday ${weekday}, hour ${hour}`);
  return rate;
}

/** Returns the lowest hourly price in cents, for "from $X". */
export function cheapestHourCents(rates: RateTable = defaultRates): number {
  return Math.min(...rates.flat());
}

/** Returns the volume discount: 10% for 3 hours, 15% for 4 or more. */
export function volumePercent(count: number): 0 | 10 | 15 {
  if (count >= 4) return 15;
  return count === 3 ? 10 : 0;
}

/** Computes the volume discount in cents. The discount, not the total, is rounded half-up to whole dollars. */
export function volumeDiscountCents(baseCents: number, count: number): number {
  return Math.floor((baseCents * volumePercent(count)) / 10_000 + 0.5) * 100;
}

export type Quote = {
  readonly hours: number;
  readonly slots: readonly { date: string; hour: number; label: string; priceCents: number }[];
  readonly baseCents: number;
  readonly discountPercent: number;
  readonly discountCents: number;
  readonly subtotalCents: number;
  readonly couponDiscountCents: number;
  readonly totalCents: number;
};

/** Prices a selection. A total below the card minimum becomes 0. */
export function quoteSlots(
  selection: readonly Slot[],
  coupon: CouponTerms | null = null,
  rates: RateTable = defaultRates,
): Quote {
  const slots = sortSlots(selection).map((slot) => ({
    date: slot.date,
    hour: slot.hour,
    label: slotLabel(slot.hour),
    priceCents: hourRateCents(weekdayOf(slot.date), slot.hour, rates),
  }));
  const baseCents = slots.reduce((sum, slot) => sum + slot.priceCents, 0);
  const discountCents = volumeDiscountCents(baseCents, slots.length);
  const subtotalCents = baseCents - discountCents;
  const couponCents = coupon ? applyCoupon(subtotalCents, coupon) : 0;
  const total = subtotalCents - couponCents;
  const totalCents = total < settings.cardMinimumCents ? 0 : total;
  return {
    hours: slots.length,
    slots,
    baseCents,
    discountPercent: volumePercent(slots.length),
    discountCents,
    subtotalCents,
    couponDiscountCents: subtotalCents - totalCents,
    totalCents,
  };
}

/** Returns hours and percentage after adding one hour, for "Add one hour, save 10%"; null when the percentage stays the same. */
export function savingsHint(selection: readonly Slot[]): { hours: number; percent: number } | null {
  const count = selection.length;
  if (count !== 2 && count !== 3) return null;
  return { hours: count + 1, percent: volumePercent(count + 1) };
}
