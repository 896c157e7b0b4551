import { z } from 'zod';
import { bookingFields } from '../bookings/booking-fields.ts';

const bookingSchema = z.object(bookingFields);

/**
 * The columns of a confirmed booking of one hour, for component tests. A new column needs its value here, and the tests of the customer's page and of the
 * panel of staff have it.
 */
export const EXAMPLE_BOOKING: z.output<typeof bookingSchema> = {
  id: 'b',
  reference: 'ABCD-2345',
  studioId: 'a',
  studioName: 'Studio A',
  startTime: new Date('2031-03-08T07:00:00Z'),
  endTime: new Date('2031-03-08T08:00:00Z'),
  status: 'confirmed',
  cancelReason: null,
  holdExpiresAt: null,
  createdAt: new Date('2031-02-01T00:00:00Z'),
  confirmedAt: new Date('2031-02-01T00:05:00Z'),
  cancelledAt: null,
  // When it was paid for; today it is another period.
  freeCancelHours: 20,
  termsStart: new Date('2031-03-08T07:00:00Z'),
  owedCents: 0,
  totalHours: 1,
  baseCents: 6_900,
  discountCents: 0,
  couponCode: null,
  couponCents: 0,
  waivedCents: 0,
  finalCents: 6_900,
};
