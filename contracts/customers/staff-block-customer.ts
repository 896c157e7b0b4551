import { z } from 'zod';
import { defineCall } from '../core/define-call.ts';
import { instantField, storedInstantText } from '../core/fields.ts';

const blockedBookings = z.enum(['later', 'keep', 'terms', 'refund']);

/** What happens to the confirmed bookings of a blocked customer. */
export type BlockedBookings = z.output<typeof blockedBookings>;

const bookingOfBlocked = z.strictObject({
  id: z.uuid(),
  reference: z.string(),
  studioId: z.uuid(),
  studioName: z.string(),
  startTime: storedInstantText,
  endTime: storedInstantText,
  status: z.enum(['pending', 'confirmed']),
});

/** A booking of a blocked customer that has not ended yet. */
export type BookingOfBlocked = Readonly<z.output<typeof bookingOfBlocked>>;

export const staffBlockCustomer = defineCall({
  name: 'staff-block-customer',
  summary:
    'Blocks a customer until an instant, or until staff end the block. A blocked customer can neither hold hours nor ' +
    'pay. A repeated call changes the reason and the end of the block.',
  methods: ['POST'],
  callers: 'staff',
  permission: 'bookings',
  limit: { max: 60, seconds: 60 },
  body: z.object({
    userId: z.uuid(),
    reason: z.string().trim().min(1).max(500).describe('For staff. The customer does not read it.'),
    until: instantField.nullable().default(null),
    bookings: blockedBookings
      .default('later')
      .describe(
        'What happens to the confirmed bookings. `later`: staff decide about each of them. `keep`: the sessions take ' +
          'place. `terms` and `refund` cancel them, with the refund that their terms give or with a full one, which ' +
          'also needs the permission `money` if the terms do not give it.',
      ),
  }),
  answer: z.strictObject({
    blocked: z.literal(true),
    bookings: z.array(bookingOfBlocked).describe('The bookings that were not over. Unpaid holds among them expire.'),
    left: z
      .int()
      .nonnegative()
      .describe('How many confirmed bookings staff still have to decide about, or could not cancel.'),
  }),
  refusals: { not_found: { message: 'Customer not found' } },
  example: {
    body: {
      userId: '11111111-1111-4111-8111-111111111111',
      reason: 'Damaged the mixer',
      until: '2031-06-01T00:00:00Z',
      bookings: 'later',
    },
    answer: {
      blocked: true,
      bookings: [
        {
          id: '66666666-6666-4666-8666-666666666666',
          reference: '7KQM-4TXR',
          studioId: '55555555-5555-4555-8555-555555555555',
          studioName: 'Studio A',
          startTime: '2031-05-02T00:00:00+00:00',
          endTime: '2031-05-02T02:00:00+00:00',
          status: 'confirmed',
        },
      ],
      left: 1,
    },
  },
});
