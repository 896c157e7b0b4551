import { expect, test } from 'vitest';
import { parseRow } from './booking.ts';

test('a row has the fields of the model: dates for instants, cents for dollars, and null for what is missing', () => {
  const row = {
    studio_name: 'Studio A',
    start_time: '2031-03-08T07:00:00+00:00',
    created_at: '2031-02-01T00:00:00.5+00:00',
    terms_start: '2031-03-08T07:00:00+00:00',
    until: '2031-03-08T07:15:00+00:00',
    hold_expires_at: null,
    base_cost: 69,
    volume_discount: 0,
    final_cost: 1.15,
    refunded: 19.99,
    free_cancel_hours: 24,
    slots: [{ hour: 18 }],
  };
  expect(parseRow(row)).toEqual({
    studioName: 'Studio A',
    startTime: new Date('2031-03-08T07:00:00Z'),
    createdAt: new Date('2031-02-01T00:00:00.500Z'),
    termsStart: new Date('2031-03-08T07:00:00Z'),
    until: new Date('2031-03-08T07:15:00Z'),
    holdExpiresAt: null,
    baseCents: 6_900,
    discountCents: 0,
    // 1.15 * 100 is 114.99999999999999.
    finalCents: 115,
    refundedCents: 1_999,
    freeCancelHours: 24,
    slots: [{ hour: 18 }],
  });
});
