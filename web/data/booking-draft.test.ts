import { expect, test } from 'vitest';
import { couponOf, draftOf, draftOfHold, holdOf } from './booking-draft.ts';
import type { OwnBooking } from './own-bookings.ts';

const studio = { id: '5a000000-0000-4000-8000-00000000000a', name: 'Studio A' };

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
  final_cost: 69,
  coupon_code: 'HALF',
  coupon_type: 'percentage',
  coupon_value: 50,
  free_cancel_hours: 24,
  created_at: '2026-11-21T04:45:00+00:00',
  payment: null,
};

test('a coupon is deducted from the price of a draft and stored with it', () => {
  const coupon = { code: 'HALF', discountType: 'percentage', discountValue: 50 } as const;
  const slots = [{ date: '2026-11-21', hour: 19 }];
  expect(draftOf(studio, slots, coupon)).toMatchObject({ base_cost: 69, final_cost: 34.5, coupon_code: 'HALF' });
  expect(draftOf(studio, slots)).not.toHaveProperty('coupon_code');
});

test('an unpaid hold becomes a draft with its own price and code', () => {
  expect(draftOfHold({ ...hold, final_cost: 61 })).toMatchObject({
    studio_id: studio.id,
    start_time: '2026-11-21T08:00:00.000Z',
    total_hours: 2,
    final_cost: 61,
    coupon_code: 'HALF',
  });
  expect(draftOfHold({ ...hold, end_time: '2026-11-21T09:30:00+00:00' })).toBeNull();
  expect(couponOf(hold)).toEqual({ code: 'HALF', discountType: 'percentage', discountValue: 50 });
  expect(couponOf({ ...hold, coupon_code: null, coupon_type: null, coupon_value: null })).toBeNull();
});

test('a hold is found by room and hours in any spelling of the instants', () => {
  const draft = { studio_id: studio.id, start_time: '2026-11-21T19:00:00+11:00', end_time: '2026-11-21T10:00:00Z' };
  expect(holdOf([hold], draft)).toBe(hold);
  expect(holdOf([hold], { ...draft, end_time: '2026-11-21T11:00:00Z' })).toBeNull();
  expect(holdOf([{ ...hold, studio_id: '5a000000-0000-4000-8000-00000000000b' }], draft)).toBeNull();
});
