import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  cheapestHourCents,
  hourRateCents,
  quoteSlots,
  savingsHint,
  volumeDiscountCents,
  volumePercent,
} from './pricing.ts';
import { nextSlot, type Slot } from './slots.ts';

/** The price list written by hand, one column for each hour; l = 49, m = 59, h = 69. */
const TABLE = [
  'hhhmmmmmmmmmmmmmmmhhhhhm',
  'llllllllllllllllllmmmmml',
  'llllllllllllllllllmmmmml',
  'llllllllllllllllllmmmmml',
  'llllllllllllllllllmmmmml',
  'mmmmmmmmmmmmmmmmmmhhhhhh',
  'hhmmmmmmmmmmmmmmmmhhhhhh',
];
const DOLLARS: Readonly<Record<string, number>> = { l: 49, m: 59, h: 69 };

const run = (date: string, hour: number, count: number): Slot[] => {
  const slots: Slot[] = [{ date, hour }];
  while (slots.length < count) slots.push(nextSlot(slots.at(-1) ?? { date, hour }));
  return slots;
};

describe('prices', () => {
  it('match all 168 hours of the price list and its day totals', () => {
    for (const [weekday, row] of TABLE.entries()) {
      for (let hour = 0; hour < 24; hour += 1)
        expect([weekday, hour, hourRateCents(weekday, hour)]).toEqual([
          weekday,
          hour,
          (DOLLARS[row[hour] ?? ''] ?? 0) * 100,
        ]);
    }
    const sums = TABLE.map(
      (_, weekday) =>
        Array.from({ length: 24 }, (__, hour) => hourRateCents(weekday, hour)).reduce((a, b) => a + b, 0) / 100,
    );
    expect(sums).toEqual([1496, 1226, 1226, 1226, 1226, 1476, 1496]);
    expect(cheapestHourCents()).toBe(4900);
    expect(() => hourRateCents(7, 0)).toThrow(RangeError);
  });

  it('round the discount to whole dollars, half up', () => {
    const ten = quoteSlots(run('2026-11-22', 1, 10));
    expect([ten.baseCents, ten.discountCents, ten.totalCents]).toEqual([61_000, 9_200, 51_800]);
    const three = quoteSlots(run('2026-11-23', 10, 3));
    expect([three.baseCents, three.discountPercent, three.discountCents, three.totalCents]).toEqual([
      14_700, 10, 1_500, 13_200,
    ]);
    const four = quoteSlots(run('2026-11-23', 10, 4));
    expect([four.baseCents, four.discountPercent, four.discountCents, four.totalCents]).toEqual([
      19_600, 15, 2_900, 16_700,
    ]);
    const twenty = quoteSlots(run('2026-11-22', 0, 20));
    expect([twenty.baseCents, twenty.discountCents, twenty.totalCents]).toEqual([123_000, 18_500, 104_500]);
    expect([1, 2, 3, 4, 24].map(volumePercent)).toEqual([0, 0, 10, 15, 15]);
    expect([volumeDiscountCents(9_800, 2), volumeDiscountCents(14_500, 3), volumeDiscountCents(14_499, 3)]).toEqual([
      0, 1_500, 1_400,
    ]);
  });

  it('show the saving of one more hour when there is one', () => {
    const hint = (count: number) => savingsHint(run('2026-11-23', 10, count));
    expect([1, 2, 3, 4, 9].map(hint)).toEqual([null, { hours: 3, percent: 10 }, { hours: 4, percent: 15 }, null, null]);
  });

  it('differ from rounding the total in exactly 210 of the 3,696 starts and lengths, all of 10 or 20 hours', () => {
    const differing: number[] = [];
    let cases = 0;
    for (let day = 0; day < 7; day += 1) {
      for (let hour = 0; hour < 24; hour += 1) {
        for (let count = 3; count <= 24; count += 1) {
          const quote = quoteSlots(run(`2026-11-${String(22 + day)}`, hour, count));
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
    expect(quoteSlots(run('2026-11-20', 23, 2)).slots.map((slot) => slot.priceCents)).toEqual([6900, 6900]);
    expect(quoteSlots(run('2026-11-22', 23, 2)).slots.map((slot) => slot.priceCents)).toEqual([5900, 4900]);
  });

  it('charge by the chosen labels on the days the clocks change', () => {
    expect(quoteSlots(run('2026-10-04', 1, 2)).slots.map((slot) => slot.hour)).toEqual([1, 3]);
    expect(quoteSlots(run('2026-10-04', 1, 2)).totalCents).toBe(6900 + 5900);
    expect(quoteSlots(run('2027-10-03', 1, 3)).slots.map((slot) => slot.hour)).toEqual([1, 3, 4]);
    expect(quoteSlots(run('2027-10-03', 1, 3)).discountPercent).toBe(10);
    expect(quoteSlots(run('2026-04-05', 2, 1)).totalCents).toBe(6900);
    expect(quoteSlots(run('2027-04-04', 1, 3))).toMatchObject({ hours: 3, baseCents: 19_700, totalCents: 17_700 });
  });

  it('subtract coupons from the subtotal, never below 0, and waive totals below the card minimum', () => {
    const slots = run('2026-11-23', 10, 1);
    const percent = (value: number) =>
      quoteSlots(slots, { code: 'X', discountType: 'percentage', discountValue: value });
    expect(percent(12.5).couponDiscountCents).toBe(613);
    expect(percent(100).totalCents).toBe(0);
    expect(percent(99.5).totalCents).toBe(0);
    expect(quoteSlots(slots, { code: 'X', discountType: 'fixed', discountValue: 1000 }).totalCents).toBe(0);
    expect(quoteSlots(slots, { code: 'X', discountType: 'fixed', discountValue: 10 }).totalCents).toBe(3900);
  });

  it('always add up', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 24 }),
        fc.integer({ min: 0, max: 23 }),
        fc.integer({ min: 1, max: 10_000 }),
        fc.boolean(),
        (count, hour, value, fixed) => {
          const quote = quoteSlots(run('2026-11-27', hour, count), {
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

describe('the card minimum', () => {
  const at = (cents: number) =>
    quoteSlots([{ date: '2026-11-23', hour: 10 }], {
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
