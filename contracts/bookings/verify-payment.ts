import { z } from 'zod';
import { defineCall } from '../core/define-call.ts';
import { instantText } from '../core/fields.ts';
import { bookingStatusField } from './booking-status.ts';

const dollars = z.number().describe('In dollars.');

export const verifyPayment = defineCall({
  name: 'verify-payment',
  summary:
    'Compares a payment with the provider and returns its state. The id of the payment session is enough, because ' +
    'the customer may have been signed out meanwhile, but only the owner gets the booking and its prices. A ' +
    'payment for a change names the booking that changes.',
  methods: ['POST'],
  callers: 'everyone',
  limit: { max: 60, seconds: 60 },
  body: z.object({
    sessionId: z.string().regex(/^(?:cs_[A-Za-z0-9_]{1,200}|free_[0-9a-f-]{36})$/, 'not a payment session'),
  }),
  answer: z.strictObject({
    paid: z.boolean(),
    status: bookingStatusField,
    payment: z
      .enum(['open', 'processing', 'paid', 'failed', 'expired', 'returning', 'returned'])
      .describe(
        '`processing`: the customer has finished, but the money takes days. `returning`: the refund is on its way.',
      ),
    bookingId: z.uuid(),
    reference: z.string(),
    state: z
      .literal('asking')
      .optional()
      .describe('The provider has not answered in time, and the rest is what is stored. Call again later.'),
    change: z
      .number()
      .nullable()
      .optional()
      .describe('The payment is for a change: its amount in dollars. Null for callers who are not the owner.'),
    codeHeld: z.literal(true).optional().describe('The access code waits until staff have talked to the customer.'),
    booking: z
      .strictObject({
        studio_id: z.uuid(),
        studio_name: z.string(),
        start_time: instantText,
        end_time: instantText,
        total_hours: z.number(),
        base_cost: dollars,
        discount_amount: dollars,
        coupon_discount: dollars,
        final_cost: dollars,
      })
      .optional()
      .describe('For the owner. Hours and amounts of a series are those of all its bookings.'),
    series: z
      .array(
        z.strictObject({
          reference: z.string(),
          start_time: instantText,
          end_time: instantText,
          status: bookingStatusField,
          final_cost: dollars,
        }),
      )
      .optional()
      .describe('For the owner of a series: all its bookings, the earliest first.'),
  }),
  refusals: { not_found: { message: 'Booking not found' } },
  example: {
    body: { sessionId: 'cs_test_1' },
    answer: {
      paid: true,
      status: 'confirmed',
      payment: 'paid',
      bookingId: '66666666-6666-4666-8666-666666666666',
      reference: '7KQM-4TXR',
      booking: {
        studio_id: '55555555-5555-4555-8555-555555555555',
        studio_name: 'Studio A',
        start_time: '2031-05-02T00:00:00.000Z',
        end_time: '2031-05-02T02:00:00.000Z',
        total_hours: 2,
        base_cost: 98,
        discount_amount: 0,
        coupon_discount: 0,
        final_cost: 98,
      },
    },
  },
});
