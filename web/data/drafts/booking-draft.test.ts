import { expect, test } from 'vitest';
import { quoteSlots } from '#rules/pricing.ts';
import { specifiedRates } from '#tests/support/rates.ts';
import { couponOf, draftOf, draftOfHold, holdOf, quoteOfDraft } from './booking-draft.ts';
import type { OwnBooking } from '../own-bookings.ts';

const studio = { id: '5a000000-0000-4000-8000-00000000000a', name: 'Studio A', rates: specifiedRates };

test('a selection across midnight becomes a draft with instants and dollars', () => {
  const draft = draftOf(studio, [
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
  id: '5a000000-0000-4000-8000-0000000000aa',
  reference: 'ABCD-EFGH',
  studio_id: studio.id,
  studio_name: 'Studio A',
  start_time: '2026-11-21T08:00:00+00:00',
  end_time: '2026-11-21T10:00:00+00:00',
  status: 'pending',
  hold_expires_at: '2026-11-21T05:00:00+00:00',
  total_hours: 2,
  base_cost: 138,
  volume_discount: 0,
  final_cost: 69,
  slots: [
    { date: '2026-11-21', hour: 19, label: '7 PM', priceCents: 6_900 },
    { date: '2026-11-21', hour: 20, label: '8 PM', priceCents: 6_900 },
  ],
  coupon_code: 'HALF',
  coupon_type: 'percentage',
  coupon_value: 50,
  free_cancel_hours: 24,
  terms_start: '2026-11-21T08:00:00+00:00',
  created_at: '2026-11-21T04:45:00+00:00',
  payment: null,
  move: null,
  order: null,
};

test('a coupon is deducted from the price of a draft and stored with it', () => {
  const coupon = { code: 'HALF', discountType: 'percentage', discountValue: 50 } as const;
  const slots = [{ date: '2026-11-21', hour: 19 }];
  expect(draftOf(studio, slots, coupon)).toMatchObject({ base_cost: 69, final_cost: 34.5, coupon_code: 'HALF' });
  expect(draftOf(studio, slots)).not.toHaveProperty('coupon_code');
});

test('an unpaid hold becomes a draft with its own price and code', () => {
  const [first, second] = hold.slots ?? [];
  const dear = { ...hold, base_cost: 200, volume_discount: 20, final_cost: 90, slots: [{ ...first, priceCents: 9_900 }, { ...second, priceCents: 10_100 }] };
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
  expect(couponOf(hold)).toEqual({ code: 'HALF', discountType: 'percentage', discountValue: 50 });
  expect(couponOf({ ...hold, coupon_code: null, coupon_type: null, coupon_value: null })).toBeNull();
});

test('the price of a draft is the one it was made with, with another coupon deducted', () => {
  const draft = draftOf(studio, [
    { date: '2026-11-21', hour: 19 },
    { date: '2026-11-21', hour: 20 },
    { date: '2026-11-21', hour: 21 },
  ]);
  const before = { ...draft, base_cost: 150, discount_amount: 15 };
  expect(quoteOfDraft(before, null)).toMatchObject({ hours: 3, baseCents: 15_000, discountPercent: 10, totalCents: 13_500 });
  expect(quoteOfDraft(before, couponOf(hold))).toMatchObject({ couponDiscountCents: 6_750, totalCents: 6_750 });
  expect(quoteOfDraft(draft, null)).toEqual(quoteSlots(draft.slots, specifiedRates));
});

test('a hold is found by room and hours in any spelling of the instants', () => {
  const draft = { studio_id: studio.id, start_time: '2026-11-21T19:00:00+11:00', end_time: '2026-11-21T10:00:00Z' };
  expect(holdOf([hold], draft)).toBe(hold);
  expect(holdOf([hold], { ...draft, end_time: '2026-11-21T11:00:00Z' })).toBeNull();
  expect(holdOf([{ ...hold, studio_id: '5a000000-0000-4000-8000-00000000000b' }], draft)).toBeNull();
});
