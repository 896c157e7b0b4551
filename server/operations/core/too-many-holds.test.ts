import { describe, expect, it } from 'vitest';
import type { BookingFacts } from './booking-rows.ts';
import { tooManyHolds } from './too-many-holds.ts';

const now = new Date('2026-11-21T05:00:00Z');
const booking: BookingFacts = {
  id: '5a000000-0000-4000-8000-0000000000aa',
  reference: 'ABCD-EFGH',
  userId: '5a000000-0000-4000-8000-0000000000bb',
  studioId: '5a000000-0000-4000-8000-00000000000a',
  studioName: 'Studio A',
  startTime: new Date('2026-11-21T08:00:00.000Z'),
  endTime: new Date('2026-11-21T11:00:00.000Z'),
  status: 'pending',
  cancelReason: null,
  holdExpiresAt: new Date('2026-11-21T05:10:00.000Z'),
  totalHours: 3,
  slots: [{ date: '2026-11-21', hour: 19, label: '7 PM', priceCents: 6_900 }],
  baseCostCents: 20_700,
  discountCents: 2_100,
  couponDiscountCents: 9_300,
  waivedCents: 0,
  moves: 0,
  guestEmail: null,
  guestName: null,
  madeBy: null,
  finalCostCents: 9_300,
  createdAt: new Date('2026-11-21T04:55:00.000Z'),
  confirmedAt: null,
  movesBooking: null,
  moveNumber: null,
  orderId: null,
  orderPlace: null,
  orderSize: null,
  termsStart: new Date('2026-11-21T08:00:00.000Z'),
  owedCents: 0,
};

describe('the refusal of one hold too many', () => {
  it('names studio, time and reference of each hold, with the ids in its details', () => {
    const refusal = tooManyHolds([booking], null, now);
    expect(refusal.code).toBe('too_many_holds');
    expect(refusal.message).toContain('Studio A');
    expect(refusal.message).toContain('7 pm');
    expect(refusal.message).toContain('ABCD-EFGH');
    expect(refusal.message).toMatch(/^Waiting for your payment: .*\. Pay for one of them or cancel one first\.$/);
    expect(refusal.details).toEqual({
      holds: [
        {
          bookingId: booking.id,
          reference: 'ABCD-EFGH',
          studioName: 'Studio A',
          startTime: booking.startTime,
          endTime: booking.endTime,
          holdExpiresAt: booking.holdExpiresAt,
        },
      ],
    });
  });

  it('says when another hold can be made, with the seconds in retryAfter', () => {
    const refusal = tooManyHolds([], '2026-11-21T05:40:30.500Z', now);
    expect(refusal.message).toContain('from 4:41 pm, Sydney time');
    expect(refusal.details).toEqual({ holds: [], retryAfter: 2_431 });
    expect(tooManyHolds([], now.toISOString(), now).details['retryAfter']).toBe(1);
  });
});
