import { describe, expect, it } from 'vitest';
import type { BookingFacts } from '../core/booking-rows.ts';
import { quoteOfBooking, readSpan } from './price.ts';

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

describe('a hold', () => {
  it('keeps the price it was made with', () => {
    expect(quoteOfBooking(booking)).toEqual({
      hours: 3,
      slots: booking.slots,
      baseCents: 20_700,
      discountPercent: 10,
      discountCents: 2_100,
      subtotalCents: 18_600,
      couponDiscountCents: 9_300,
      totalCents: 9_300,
    });
  });

  it('of free hours has no volume discount', () => {
    const free = { ...booking, baseCostCents: 0, discountCents: 0, couponDiscountCents: 0, finalCostCents: 0 };
    expect(quoteOfBooking(free)).toMatchObject({ baseCents: 0, discountPercent: 0, subtotalCents: 0, totalCents: 0 });
  });
});

describe('the requested hours', () => {
  const from = (start: string, hours: number) => ({
    startTime: new Date(start),
    endTime: new Date(Date.parse(start) + hours * 3_600_000),
  });

  it.each([25, 26, 27, 28, 24 * 365])('are refused as too many: %i', (hours) => {
    expect(() => readSpan(from('2026-11-21T08:00:00Z', hours))).toThrow('A booking can be up to 24 hours long.');
  });

  it.each([0, 0.5, 2.5, -1])('are refused because they do not end on a later hour: %d', (hours) => {
    expect(() => readSpan(from('2026-11-21T08:00:00Z', hours))).toThrow('Bookings start and end on the hour');
  });

  it('can be 24, which take 25 hours when the clocks go back', () => {
    expect(readSpan(from('2026-11-21T08:00:00Z', 24))).toHaveLength(24);
    expect(readSpan(from('2026-04-04T02:00:00Z', 25))).toHaveLength(24);
  });
});
