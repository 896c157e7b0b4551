import { z } from 'zod';
import { defineCall } from '../core/define-call.ts';
import { bookingIdField, byHandField, centsField, instantText, spanFields, undoField } from '../core/fields.ts';

const moneyFields = {
  differenceCents: z.int().describe('What the new hours cost more. Negative if they cost less.'),
  refundCents: centsField,
  byHand: byHandField,
};

const movedAnswer = z
  .strictObject({
    ...moneyFields,
    undo: undoField,
    waitsUntil: instantText.optional().describe('The booking moves when the difference is paid before this instant.'),
    url: z.url().optional().describe('Where the customer pays the difference.'),
    pending: z
      .literal(true)
      .optional()
      .describe('The provider has not answered yet, and the mail will have the link. The status is 202.'),
  })
  .describe('The answer without `preview`.');

const quoteAnswer = z
  .strictObject({
    ...moneyFields,
    owedCents: z.int().describe('What is still owed after the move. Negative if too much was paid.'),
    needsMoney: z.boolean().describe('Whether the refund needs the permission `money`, which the caller lacks.'),
    linkUntil: instantText
      .optional()
      .describe(
        'Until when a link could be paid. Missing if there is nothing to pay, or if it is too late for a link.',
      ),
  })
  .describe('The answer with `preview`.');

export const staffMoveBooking = defineCall({
  name: 'staff-move-booking',
  summary:
    'Moves a confirmed booking to other hours or another room. If the new hours cost less, the difference is ' +
    'refunded. If they cost more, they are held until the customer pays the difference by a mailed link. A waiver, ' +
    'and a refund that the terms of the booking do not give, also need the permission `money`. A repeated call ' +
    'changes nothing and answers the same.',
  methods: ['POST'],
  callers: 'staff',
  permission: 'bookings',
  limit: { max: 60, seconds: 60 },
  body: z.object({
    bookingId: bookingIdField,
    ...spanFields,
    waive: z.boolean().default(false).describe('Moves the booking to hours that cost more without another payment.'),
    preview: z.boolean().default(false).describe('Only computes what the move would cost, and changes nothing.'),
    undoable: z
      .boolean()
      .default(false)
      .describe('Delays mail and refund for some seconds, unless an access code is due. See `undo` in the answer.'),
  }),
  answer: z.union([movedAnswer, quoteAnswer]),
  refusals: {
    not_found: { message: 'Booking not found' },
    not_confirmed: { message: 'This booking hasn’t been paid yet. Cancel it and make another one.' },
    already_done: { message: 'This booking is cancelled.' },
    too_late: { message: 'It’s too close to the start for a payment link.', differenceCents: 4900 },
    slot_taken: { message: 'This time is taken.', bookings: [] },
    slot_closed: { message: 'The studio is closed at this time.' },
  },
  example: {
    body: {
      bookingId: '66666666-6666-4666-8666-666666666666',
      studioId: '55555555-5555-4555-8555-555555555555',
      startTime: '2031-05-03T00:00:00Z',
      endTime: '2031-05-03T02:00:00Z',
      undoable: true,
    },
    answer: {
      differenceCents: -1000,
      refundCents: 1000,
      undo: { id: '77777777-7777-4777-8777-777777777777', until: '2031-05-01T00:00:10.000Z' },
    },
  },
});
