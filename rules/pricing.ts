import { applyCoupon, type CouponTerms } from './coupon-discount.ts';
import { slotLabel, sortSlots, type Slot } from './slots.ts';
import { type StudioDate, getWeekday } from './studio-time.ts';
import { constants } from './venue.ts';

/** Prices of a studio, valid from a day until its next list begins. */
export type PriceList = {
  readonly validFrom: StudioDate;
  /** The 168 hours of a week in cents, Sunday 12 AM first. */
  readonly hourCents: readonly number[];
  /** The volume discount in percent for 1 to 24 hours: the first entry is for 1 hour, the last for 24. */
  readonly volumePercents: readonly number[];
};

/** A range of days (the last is included) whose hours have their own prices: 24 prices in cents, 12 AM first. */
export type SpecialDays = {
  readonly name: string;
  readonly firstDay: StudioDate;
  readonly lastDay: StudioDate;
  readonly hourCents: readonly number[];
};

/** All prices of a studio for the days in question. */
export type Rates = { readonly lists: readonly PriceList[]; readonly specialDays: readonly SpecialDays[] };

/** Returns the price list that is valid on a day. Throws RangeError if there is none: an hour without a price is never free. */
export function getPriceList(date: StudioDate, { lists }: Rates): PriceList {
  const list = lists
    .filter(({ validFrom }) => validFrom <= date)
    .reduce<PriceList | null>((best, list) => (best && best.validFrom > list.validFrom ? best : list), null);
  if (list === null) throw new RangeError(`no price list for ${date}`);
  return list;
}

/** Returns the special days that include a day; null for an ordinary day. */
export function findSpecialDays(date: StudioDate, { specialDays }: Rates): SpecialDays | null {
  return specialDays.find(({ firstDay, lastDay }) => firstDay <= date && date <= lastDay) ?? null;
}

/** Returns the price of one hour in cents. Throws RangeError when it has none. */
export function hourRateCents({ date, hour }: Slot, rates: Rates): number {
  const special = findSpecialDays(date, rates);
  const cents = special ? special.hourCents[hour] : getPriceList(date, rates).hourCents[getWeekday(date) * 24 + hour];
  if (cents === undefined) throw new RangeError(`no price for hour ${hour} of ${date}`);
  return cents;
}

/** Returns the lowest hourly price in cents of the list valid on a day, for "from $X". */
export function cheapestHourCents(date: StudioDate, rates: Rates): number {
  return Math.min(...getPriceList(date, rates).hourCents);
}

/** Returns the volume discount in percent for this many hours; 0 for none. */
export function volumePercent(count: number, { volumePercents }: PriceList): number {
  return volumePercents[count - 1] ?? 0;
}

/** Computes the volume discount in cents. The discount, not the total, is rounded half-up to whole dollars. */
export function volumeDiscountCents(baseCents: number, percent: number): number {
  return Math.floor((baseCents * percent) / 10_000 + 0.5) * 100;
}

/** A volume-discount tier: applies from `hours` up to the next tier. */
export type VolumeStep = { readonly hours: number; readonly percent: number };

/** Lists the volume-discount tiers, fewest hours first. Empty without a discount. */
export function volumeSteps({ volumePercents }: Pick<PriceList, 'volumePercents'>): VolumeStep[] {
  return volumePercents.flatMap((percent, index) =>
    percent === (volumePercents[index - 1] ?? 0) ? [] : [{ hours: index + 1, percent }],
  );
}

/** Expands tiers into the volume discount for 1 to 24 hours. More hours never save less. */
export function getVolumePercents(steps: readonly VolumeStep[]): number[] {
  return Array.from({ length: 24 }, (_, index) =>
    Math.max(0, ...steps.filter(({ hours }) => hours <= index + 1).map(({ percent }) => percent)),
  );
}

/** What hours cost before a coupon. */
export type BasePrice = {
  readonly hours: number;
  readonly slots: readonly { date: string; hour: number; label: string; priceCents: number }[];
  readonly baseCents: number;
  readonly discountPercent: number;
  readonly discountCents: number;
};
export type Quote = BasePrice & {
  readonly subtotalCents: number;
  readonly couponDiscountCents: number;
  readonly totalCents: number;
};

/** Computes the price of a selection. Each hour costs what it costs on its own day; the volume discount is that of the first day. */
export function quoteSlots(selection: readonly Slot[], rates: Rates, coupon: CouponTerms | null = null): Quote {
  const slots = sortSlots(selection).map(({ date, hour }) => ({
    date,
    hour,
    label: slotLabel(hour),
    priceCents: hourRateCents({ date, hour }, rates),
  }));
  const baseCents = slots.reduce((sum, slot) => sum + slot.priceCents, 0);
  const [first] = slots;
  const discountPercent = first ? volumePercent(slots.length, getPriceList(first.date, rates)) : 0;
  const discountCents = volumeDiscountCents(baseCents, discountPercent);
  return deductCoupon({ hours: slots.length, slots, baseCents, discountPercent, discountCents }, coupon);
}

/** Deducts a coupon from a price. A total below the card minimum becomes 0. */
export function deductCoupon(price: BasePrice, coupon: CouponTerms | null): Quote {
  const subtotalCents = price.baseCents - price.discountCents;
  const total = subtotalCents - (coupon ? applyCoupon(subtotalCents, coupon) : 0);
  const totalCents = total < constants.cardMinimumCents ? 0 : total;
  return { ...price, subtotalCents, couponDiscountCents: subtotalCents - totalCents, totalCents };
}

/**
 * Returns what one more hour would save, with the discount in percent for the hours chosen (`before`), for "Add one hour, save 10%". Null
 * if one more hour saves no more.
 */
export function savingsHint(selection: readonly Slot[], rates: Rates): { percent: number; before: number } | null {
  const [first] = sortSlots(selection);
  if (first === undefined) return null;
  const list = getPriceList(first.date, rates);
  const [before, percent] = [volumePercent(selection.length, list), volumePercent(selection.length + 1, list)];
  return percent > before ? { percent, before } : null;
}
