import { expect, test } from 'vitest';
import { quoteSlots } from '#rules/pricing.ts';
import { specifiedRates } from '#tests/support/rates.ts';
import { createDraft, draftOfHold, findHold, quoteOfDraft } from './booking-draft.ts';
import type { OwnBooking } from '../bookings/booking.ts';
import { EXAMPLE_OWN_BOOKING } from '../testing/example-booking.ts';

const studio = { id: '5a000000-0000-4000-8000-00000000000a', name: 'Studio A', rates: specifiedRates };

test('a selection across midnight becomes a draft with instants and dollars', () => {
  const draft = createDraft(studio, [
    { date: '2026-11-22', hour: 0 },
    { date: '2026-11-21', hour: 22 },
    { date: '2026-11-21', hour: 23 },
  ]);
  expect(draft).toMatchObject({
    studio_id: studio.id,
    studio_name: 'Studio A',
    start_time: '2026-11-21T11:00:00.000Z',
    end_time: '2026-11-21T14:00:00.000Z',
    total_hours: 3,
    base_cost: 207,
    discount_amount: 21,
    final_cost: 186,
  });
  expect(draft.slots.map((slot) => slot.label)).toEqual(['10 PM', '11 PM', '12 AM']);
});

const hold: OwnBooking = {
  ...EXAMPLE_OWN_BOOKING,
  studioId: studio.id,
  startTime: new Date('2026-11-21T08:00:00Z'),
  endTime: new Date('2026-11-21T10:00:00Z'),
  status: 'pending',
  totalHours: 2,
  baseCents: 13_800,
  finalCents: 6_900,
  slots: [
    { date: '2026-11-21', hour: 19, label: '7 PM', priceCents: 6_900 },
    { date: '2026-11-21', hour: 20, label: '8 PM', priceCents: 6_900 },
  ],
  couponCode: 'HALF',
  coupon: { code: 'HALF', discountType: 'percentage', discountValue: 50 },
  payment: null,
};

test('a coupon is deducted from the price of a draft and stored with it', () => {
  const coupon = { code: 'HALF', discountType: 'percentage', discountValue: 50 } as const;
  const slots = [{ date: '2026-11-21', hour: 19 }];
  expect(createDraft(studio, slots, coupon)).toMatchObject({ base_cost: 69, final_cost: 34.5, coupon_code: 'HALF' });
  expect(createDraft(studio, slots)).not.toHaveProperty('coupon_code');
});

test('an unpaid hold becomes a draft with its own price and code', () => {
  const [first, second] = hold.slots ?? [];
  const dear = {
    ...hold,
    baseCents: 20_000,
    discountCents: 2_000,
    finalCents: 9_000,
    slots: [
      { ...first, priceCents: 9_900 },
      { ...second, priceCents: 10_100 },
    ],
  };
  const draft = draftOfHold(dear as OwnBooking);
  expect(draft).toEqual({
    studio_id: studio.id,
    studio_name: 'Studio A',
    start_time: '2026-11-21T08:00:00.000Z',
    end_time: '2026-11-21T10:00:00.000Z',
    total_hours: 2,
    base_cost: 200,
    discount_amount: 20,
    final_cost: 90,
    coupon_code: 'HALF',
    slots: [
      { date: '2026-11-21', hour: 19, label: '7 PM', price: 99 },
      { date: '2026-11-21', hour: 20, label: '8 PM', price: 101 },
    ],
  });
  expect(draftOfHold({ ...hold, slots: null })).toBeNull();
  expect(draftOfHold({ ...hold, coupon: null })).not.toHaveProperty('coupon_code');
});

test('the price of a draft is the one it was made with, with another coupon deducted', () => {
  const draft = createDraft(studio, [
    { date: '2026-11-21', hour: 19 },
    { date: '2026-11-21', hour: 20 },
    { date: '2026-11-21', hour: 21 },
  ]);
  const before = { ...draft, base_cost: 150, discount_amount: 15 };
  expect(quoteOfDraft(before, null)).toMatchObject({
    hours: 3,
    baseCents: 15_000,
    discountPercent: 10,
    totalCents: 13_500,
  });
  expect(quoteOfDraft(before, hold.coupon)).toMatchObject({ couponDiscountCents: 6_750, totalCents: 6_750 });
  expect(quoteOfDraft(draft, null)).toEqual(quoteSlots(draft.slots, specifiedRates));
});

test('a hold is found by room and hours in any spelling of the instants', () => {
  const draft = { studio_id: studio.id, start_time: '2026-11-21T19:00:00+11:00', end_time: '2026-11-21T10:00:00Z' };
  expect(findHold([hold], draft)).toBe(hold);
  expect(findHold([hold], { ...draft, end_time: '2026-11-21T11:00:00Z' })).toBeNull();
  expect(findHold([{ ...hold, studioId: '5a000000-0000-4000-8000-00000000000b' }], draft)).toBeNull();
});
