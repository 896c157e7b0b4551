import type { Database } from '#database/types.ts';
import type { Booking, OwnBooking } from '../bookings/booking.ts';

/**
 * The columns of a confirmed booking of one hour, for component tests. Add a value here for each new column; the tests of the customer's
 * page and of the staff panel then include it.
 */
export const EXAMPLE_BOOKING: Booking = {
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
  // The period at the time of payment. Today's setting differs.
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

/** The same booking in the list of its customer, and as `own_bookings()` returns it. */
export const EXAMPLE_OWN_BOOKING: OwnBooking = {
  ...EXAMPLE_BOOKING,
  coupon: null,
  slots: null,
  payment: { state: 'paid', refundedCents: 0 },
  move: null,
  series: null,
};
export const EXAMPLE_OWN_ROW: Database['public']['Functions']['own_bookings']['Returns'][number] = {
  id: 'b',
  reference: 'ABCD-2345',
  studio_id: 'a',
  studio_name: 'Studio A',
  start_time: '2031-03-08T07:00:00+00:00',
  end_time: '2031-03-08T08:00:00+00:00',
  status: 'confirmed',
  cancel_reason: null,
  hold_expires_at: null,
  created_at: '2031-02-01T00:00:00+00:00',
  free_cancel_hours: 20,
  terms_start: '2031-03-08T07:00:00+00:00',
  total_hours: 1,
  base_cost: 69,
  volume_discount: 0,
  final_cost: 69,
  coupon_code: null,
  coupon_type: null,
  coupon_value: null,
  slots: null,
  order_id: null,
  order_place: null,
  order_size: null,
};
