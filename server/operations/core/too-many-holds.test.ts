import { describe, expect, it } from 'vitest';
import type { BookingFacts } from './booking-rows.ts';
import { tooManyHolds, tooManyHours } from './too-many-holds.ts';

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
    expect(refusal.message).toBe(
      'Waiting for your payment: Studio A, Saturday 21 November 2026, 7 pm to 10 pm (reference ABCD-EFGH). Pay for one of them or cancel one first.',
    );
    expect(tooManyHolds([booking, { ...booking, reference: 'JKLM-NPQR' }], null, now).message).toMatch(
      /\(reference ABCD-EFGH\); Studio A, .* \(reference JKLM-NPQR\)\. Pay for/,
    );
    expect(tooManyHolds([], null, now).message).toBe('Pay for one of them or cancel one first.');
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
    expect(refusal.message).toBe(
      'You’ve started several bookings in the last hour without paying. You can start another from 4:41 pm, Sydney time.',
    );
    expect(tooManyHolds([booking], '2026-11-21T05:40:00Z', now).message).toMatch(
      /^You’ve started several bookings in the last hour without paying\. Waiting for your payment: .*\. You can start another from 4:40 pm, Sydney time\.$/,
    );
    expect(refusal.details).toEqual({ holds: [], retryAfter: 2_431 });
    expect(tooManyHolds([], now.toISOString(), now).details['retryAfter']).toBe(1);
  });
});

const FEWER = 'Please choose fewer hours or dates';
it.each([
  // A booking that is longer than one booking may be, although the account could hold as many hours.
  [
    { hours: 30, fit: 30, most: 48, mostOfBooking: 24 },
    'You can hold up to 24 hours in one booking before you pay. Please choose fewer hours.',
    { hours: 30, fit: 24 },
  ],
  [
    { hours: 20, fit: 20, most: 48, mostOfBooking: 24 },
    'You can hold up to 24 hours in one booking before you pay. Please choose fewer hours.',
    { hours: 20, fit: 20 },
  ],
  [
    { hours: 3, fit: 0, most: 48, mostOfBooking: 24 },
    'You can hold up to 48 hours in all rooms together before you pay, and you’re holding all of them. Pay for some or cancel them first.',
    { hours: 3, fit: 0 },
  ],
  [
    { hours: 3, fit: 1, most: 48, mostOfBooking: 24 },
    `You can hold up to 48 hours in all rooms together before you pay. You asked for 3, and 1 hour fits now. ${FEWER}, or pay for what you’re holding first.`,
    { hours: 3, fit: 1 },
  ],
  [
    { hours: 56, fit: 48, most: 48, mostOfBooking: 24 },
    `You can hold up to 48 hours in all rooms together before you pay. You asked for 56, and 48 hours fit now. ${FEWER}.`,
    { hours: 56, fit: 48 },
  ],
])('too many unpaid hours, %j, are refused in words', (hours, message, details) => {
  const { code, message: said, details: given } = tooManyHours(hours);
  expect({ code, said, given }).toEqual({ code: 'too_many_hours', said: message, given: details });
});
