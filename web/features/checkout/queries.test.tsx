import { expect, test } from 'vitest';
import * as wire from '#web/data/testing/wire.ts';
import { verifyPayment } from './queries.ts';

test('a paid booking has dates and cents, and its discounts are told apart', async () => {
  const hours = { start_time: '2031-05-02T00:00:00.000Z', end_time: '2031-05-02T02:00:00.000Z' };
  const { booking: _booking, ...state } = wire.exampleFrom('verify-payment');
  wire.answer('verify-payment', {
    ...state,
    booking: {
      studio_id: '55555555-5555-4555-8555-555555555555',
      studio_name: 'Studio A',
      ...hours,
      total_hours: 2,
      base_cost: 98,
      discount_amount: 20.1,
      coupon_discount: 1.15,
      final_cost: 77.9,
    },
    series: [{ reference: 'HC-ABC123', ...hours, status: 'confirmed', final_cost: 77.9 }],
  });
  const span = { startTime: new Date('2031-05-02T00:00:00Z'), endTime: new Date('2031-05-02T02:00:00Z') };
  expect(await verifyPayment('cs_test_1')).toEqual({
    ...state,
    booking: {
      studioId: '55555555-5555-4555-8555-555555555555',
      studioName: 'Studio A',
      ...span,
      totalHours: 2,
      baseCents: 9_800,
      discountCents: 1_895,
      couponCents: 115,
      finalCents: 7_790,
    },
    series: [{ reference: 'HC-ABC123', ...span, status: 'confirmed', finalCents: 7_790 }],
  });
  wire.answer('verify-payment', state);
  expect(await verifyPayment('cs_test_1')).toEqual(state);
});
