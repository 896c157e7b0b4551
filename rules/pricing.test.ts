import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { specifiedRates } from '#tests/support/rates.ts';
import type { CouponTerms } from './coupon-discount.ts';
import {
  cheapestHourCents,
  hourRateCents,
  type PriceList,
  getPriceList,
  type Quote,
  quoteSlots,
  type Rates,
  savingsHint,
  volumeDiscountCents,
  volumePercent,
  getVolumePercents,
  volumeSteps,
} from './pricing.ts';
import { nextSlot, type Slot } from './slots.ts';

const run = (date: string, hour: number, count: number): Slot[] => {
  const slots: Slot[] = [{ date, hour }];
  while (slots.length < count) slots.push(nextSlot(slots.at(-1) ?? { date, hour }));
  return slots;
};

const getQuote = (slots: readonly Slot[], coupon: CouponTerms | null = null): Quote =>
  quoteSlots(slots, specifiedRates, coupon);
const list = getPriceList('2026-11-23', specifiedRates);

describe('prices', () => {
  it('have the day totals of the specification, and $49 as the lowest', () => {
    const sums = Array.from({ length: 7 }, (_, day) => getQuote(run(`2026-11-${22 + day}`, 0, 24)).baseCents / 100);
    expect(sums).toEqual([1496, 1226, 1226, 1226, 1226, 1476, 1496]);
    expect(cheapestHourCents('2026-11-23', specifiedRates)).toBe(4900);
  });

  it('round the discount to whole dollars, half up [spec 9.5]', () => {
    const ten = getQuote(run('2026-11-22', 1, 10));
    expect([ten.baseCents, ten.discountCents, ten.totalCents]).toEqual([61_000, 9_200, 51_800]);
    const three = getQuote(run('2026-11-23', 10, 3));
    expect([three.baseCents, three.discountPercent, three.discountCents, three.totalCents]).toEqual([
      14_700, 10, 1_500, 13_200,
    ]);
    const four = getQuote(run('2026-11-23', 10, 4));
    expect([four.baseCents, four.discountPercent, four.discountCents, four.totalCents]).toEqual([
      19_600, 15, 2_900, 16_700,
    ]);
    const twenty = getQuote(run('2026-11-22', 0, 20));
    expect([twenty.baseCents, twenty.discountCents, twenty.totalCents]).toEqual([123_000, 18_500, 104_500]);
    expect([0, 1, 2, 3, 4, 24].map((count) => volumePercent(count, list))).toEqual([0, 0, 0, 10, 15, 15]);
    expect([volumeDiscountCents(9_800, 0), volumeDiscountCents(14_500, 10), volumeDiscountCents(14_499, 10)]).toEqual([
      0, 1_500, 1_400,
    ]);
  });

  it('show the saving of one more hour when there is one', () => {
    const hint = (count: number) => savingsHint(run('2026-11-23', 10, count), specifiedRates);
    expect([1, 2, 3, 4, 9, 24].map(hint)).toEqual([
      null,
      { percent: 10, before: 0 },
      { percent: 15, before: 10 },
      null,
      null,
      null,
    ]);
    expect(savingsHint([], specifiedRates)).toBeNull();
  });

  it('differ from rounding the total in exactly 210 of the 3,696 starts and lengths, all of 10 or 20 hours [spec 9.5]', () => {
    const differing: number[] = [];
    let cases = 0;
    for (let day = 0; day < 7; day += 1) {
      for (let hour = 0; hour < 24; hour += 1) {
        for (let count = 3; count <= 24; count += 1) {
          const quote = getQuote(run(`2026-11-${String(22 + day)}`, hour, count));
          const roundedTotal = Math.floor((quote.baseCents * (100 - quote.discountPercent)) / 10_000 + 0.5) * 100;
          cases += 1;
          if (roundedTotal !== quote.totalCents) differing.push(count);
        }
      }
    }
    expect([cases, differing.length]).toEqual([3_696, 210]);
    expect([...new Set(differing)].sort((a, b) => a - b)).toEqual([10, 20]);
  });

  it('charge a session across midnight by the day of each hour', () => {
    expect(getQuote(run('2026-11-20', 23, 2)).slots.map((slot) => slot.priceCents)).toEqual([6900, 6900]);
    expect(getQuote(run('2026-11-22', 23, 2)).slots.map((slot) => slot.priceCents)).toEqual([5900, 4900]);
  });

  it('charge by the chosen labels on the days the clocks change', () => {
    expect(getQuote(run('2026-10-04', 1, 2)).slots.map((slot) => slot.hour)).toEqual([1, 3]);
    expect(getQuote(run('2026-10-04', 1, 2)).totalCents).toBe(6900 + 5900);
    expect(getQuote(run('2027-10-03', 1, 3)).slots.map((slot) => slot.hour)).toEqual([1, 3, 4]);
    expect(getQuote(run('2027-10-03', 1, 3)).discountPercent).toBe(10);
    expect(getQuote(run('2026-04-05', 2, 1)).totalCents).toBe(6900);
    expect(getQuote(run('2027-04-04', 1, 3))).toMatchObject({ hours: 3, baseCents: 19_700, totalCents: 17_700 });
  });

  it('subtract coupons from the subtotal, never below 0, and waive totals below the card minimum [spec 9.6]', () => {
    const slots = run('2026-11-23', 10, 1);
    const percent = (value: number) => getQuote(slots, { code: 'X', discountType: 'percentage', discountValue: value });
    expect(percent(12.5).couponDiscountCents).toBe(613);
    expect(percent(100).totalCents).toBe(0);
    expect(percent(99.5).totalCents).toBe(0);
    expect(getQuote(slots, { code: 'X', discountType: 'fixed', discountValue: 1000 }).totalCents).toBe(0);
    expect(getQuote(slots, { code: 'X', discountType: 'fixed', discountValue: 10 }).totalCents).toBe(3900);
  });

  it('always add up', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 24 }),
        fc.integer({ min: 0, max: 23 }),
        fc.integer({ min: 1, max: 10_000 }),
        fc.boolean(),
        (count, hour, value, fixed) => {
          const quote = getQuote(run('2026-11-27', hour, count), {
            code: 'X',
            discountType: fixed ? 'fixed' : 'percentage',
            discountValue: fixed ? value / 100 : Math.min(100, value / 100),
          });
          expect(quote.baseCents - quote.discountCents - quote.couponDiscountCents).toBe(quote.totalCents);
          expect(Number.isSafeInteger(quote.totalCents)).toBe(true);
          expect(quote.totalCents === 0 || quote.totalCents >= 50).toBe(true);
        },
      ),
    );
  });
});

describe('price lists and special days', () => {
  const flat = (validFrom: string, cents: number, volume: number): PriceList => ({
    validFrom,
    hourCents: Array.from({ length: 168 }, () => cents),
    volumePercents: [0, volume, ...Array.from({ length: 22 }, () => volume)],
  });
  const festival = {
    name: 'Festival',
    firstDay: '2026-11-27',
    lastDay: '2026-11-28',
    hourCents: Array.from({ length: 24 }, (_, hour) => 9_000 + hour),
  };
  // Out of order, because the database returns rows in any order.
  const rates: Rates = {
    lists: [flat('2026-12-01', 3_000, 50), flat('2026-11-01', 2_000, 20)],
    specialDays: [festival],
  };
  const prices = (date: string, hour: number, count: number) =>
    quoteSlots(run(date, hour, count), rates).slots.map((slot) => slot.priceCents);

  it('each hour has the price of the list that is valid on its day', () => {
    expect(prices('2026-11-30', 23, 2)).toEqual([2_000, 3_000]);
    expect(prices('2030-01-01', 0, 1)).toEqual([3_000]);
    expect(cheapestHourCents('2026-11-30', rates)).toBe(2_000);
    expect(cheapestHourCents('2026-12-01', rates)).toBe(3_000);
  });

  it('special days have their own prices, from their first day to the end of their last', () => {
    expect(prices('2026-11-26', 23, 2)).toEqual([2_000, 9_000]);
    expect(prices('2026-11-28', 23, 2)).toEqual([9_023, 2_000]);
  });

  it('the volume discount is that of the first day, also on special days', () => {
    expect(quoteSlots(run('2026-11-30', 23, 2), rates)).toMatchObject({ discountPercent: 20, discountCents: 1_000 });
    expect(quoteSlots(run('2026-11-28', 0, 2), rates)).toMatchObject({ discountPercent: 20, discountCents: 3_600 });
    expect(volumeSteps(flat('2026-12-01', 3_000, 50))).toEqual([{ hours: 2, percent: 50 }]);
    expect(volumeSteps(list)).toEqual([
      { hours: 3, percent: 10 },
      { hours: 4, percent: 15 },
    ]);
    expect(volumeSteps(flat('2026-12-01', 3_000, 0))).toEqual([]);
    expect(getVolumePercents(volumeSteps(list))).toEqual(list.volumePercents);
    expect(
      getVolumePercents([
        { hours: 5, percent: 10 },
        { hours: 2, percent: 20 },
      ]).slice(0, 6),
    ).toEqual([0, 20, 20, 20, 20, 20]);
  });

  it('an hour without a price is never free', () => {
    expect(() => prices('2026-10-31', 12, 1)).toThrow('no price list for 2026-10-31');
    const holed = { lists: [{ ...flat('2026-11-01', 2_000, 0), hourCents: [] }], specialDays: [] };
    expect(() => hourRateCents({ date: '2026-11-02', hour: 3 }, holed)).toThrow('no price for hour 3 of 2026-11-02');
    expect(() =>
      quoteSlots(run('2026-11-27', 0, 1), { ...rates, specialDays: [{ ...festival, hourCents: [] }] }),
    ).toThrow(RangeError);
  });
});

describe('the card minimum', () => {
  const at = (cents: number) =>
    getQuote([{ date: '2026-11-23', hour: 10 }], {
      code: 'X',
      discountType: 'fixed',
      discountValue: (4900 - cents) / 100,
    }).totalCents;
  it('is 50 cents; less costs nothing', () => {
    expect(at(50)).toBe(50);
    expect(at(49)).toBe(0);
    expect(at(1)).toBe(0);
  });
});
