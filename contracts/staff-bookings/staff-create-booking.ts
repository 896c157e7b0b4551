import { z } from 'zod';
import { customerSchema } from '#rules/people.ts';
import { constants as venue } from '#rules/venue.ts';
import { bookingStatusField } from '../bookings/booking-status.ts';
import { defineCall } from '../core/define-call.ts';
import { phoneField, requestIdField, seriesField, spanFields } from '../core/fields.ts';

const { email, fullName } = customerSchema.shape;

export const staffCreateBooking = defineCall({
  name: 'staff-create-booking',
  summary:
    'Books hours for an account or a guest. With `series` it books the same hours on each date as one series, and ' +
    'answers with the first booking. The payments `free` and `elsewhere`, and a price below the price list, also ' +
    'need the permission `money`. A repeated call answers with the same booking. To book the same hours twice, give ' +
    'each booking its own `requestId`.',
  methods: ['POST'],
  callers: 'staff',
  permission: 'bookings',
  limit: { max: 60, seconds: 60 },
  body: z.object({
    ...spanFields,
    customerEmail: email
      .transform((text) => text.toLowerCase())
      .describe('The booking belongs to the account that has confirmed this address, or else to a guest.'),
    customerName: fullName.describe('The name of a guest. An account keeps its own name.'),
    customerPhone: phoneField.transform((phone) => phone ?? null),
    payment: z
      .enum(['link', 'free', 'elsewhere'])
      .describe(
        '`link` holds the hours and mails a link to pay. `free` and `elsewhere` (paid in another way) confirm at once.',
      ),
    series: seriesField,
    priceCents: z
      .int()
      .min(venue.cardMinimumCents)
      .max(10_000_000)
      .nullable()
      .default(null)
      .describe('The price of each booking, at most that of the price list. Null for the price of the list.'),
    notes: z
      .string()
      .trim()
      .max(2000)
      // This word marks a test booking, which requires no payment.
      .refine((text) => text.toLowerCase() !== 'test', 'this note is for test bookings')
      .transform((text) => (text === '' ? null : text))
      .nullable()
      .default(null),
    requestId: requestIdField,
  }),
  answer: z.strictObject({
    bookingId: z.uuid(),
    reference: z.string(),
    status: bookingStatusField.describe('Of a repeated call, what has become of the booking.'),
    url: z
      .url()
      .optional()
      .describe(
        'Where the customer pays. Missing if there is nothing to pay, or if the provider has not answered yet.',
      ),
    pending: z
      .literal(true)
      .optional()
      .describe('The provider has not answered yet, and the mail will have the link. The status is 202.'),
  }),
  refusals: {
    not_found: { message: 'Studio not found' },
    too_late: { message: 'It’s too close to the start for a payment link. Choose another way to pay.' },
    slot_taken: { message: 'This time is taken.', bookings: [] },
    slot_closed: { message: 'The studio is closed at this time.' },
    blocked: { message: 'This customer is blocked, so nothing was booked. Unblock them first.' },
    already_done: {
      message: 'This request already made another booking.',
      bookingId: '66666666-6666-4666-8666-666666666666',
      reference: '7KQM-4TXR',
    },
  },
  example: {
    body: {
      studioId: '55555555-5555-4555-8555-555555555555',
      startTime: '2031-05-02T00:00:00Z',
      endTime: '2031-05-02T02:00:00Z',
      customerEmail: 'mia@example.com',
      customerName: 'Mia Chen',
      payment: 'link',
      requestId: '77777777-7777-4777-8777-777777777777',
    },
    answer: {
      bookingId: '66666666-6666-4666-8666-666666666666',
      reference: '7KQM-4TXR',
      status: 'pending',
      url: 'https://pay.example.com/cs_1',
    },
  },
});
