import { z } from 'zod';
import { bookingIdField, byHandField, cardField, centsField, instantText } from '../core/fields.ts';

/** What `reschedule-booking` and `extend-booking` share. */

export const changeFields = {
  bookingId: bookingIdField,
  differenceCents: z
    .int()
    .nullable()
    .default(null)
    .describe('The difference on the customer’s screen. The call is refused if it is another one by now.'),
  preview: z.boolean().default(false).describe('Only returns what the change would cost.'),
  card: cardField.nullable().default(null).describe('The saved card that pays the difference at once.'),
};

export const changeAnswer = z.strictObject({
  differenceCents: z.int().describe('What the new hours cost more. Negative if they cost less.'),
  refundCents: centsField,
  byHand: byHandField,
  owedCents: z
    .int()
    .optional()
    .describe('Of a preview: what is still owed after the change. Negative if it still goes back.'),
  payUntil: instantText
    .optional()
    .describe(
      'Of a preview: until when the new hours would be held. Missing if there is nothing to pay, or if it is too late.',
    ),
  waitsUntil: instantText.optional().describe('The booking changes when the difference is paid before this instant.'),
  cardProblem: z
    .enum(['declined', 'needs_customer', 'gone'])
    .optional()
    .describe('Why the saved card did not pay. `needs_customer`: the bank wants a confirmation on the pay page.'),
  url: z.url().optional().describe('Where the customer pays the difference.'),
  pending: z.literal(true).optional().describe('The provider has not answered yet. The status is 202.'),
});

export const changeRefusals = {
  not_found: { message: 'Booking not found' },
  already_done: { message: 'This booking is cancelled.' },
  not_confirmed: { message: 'This booking hasn’t been paid yet. Cancel it and make another one.' },
  too_late: { message: 'Bookings can be moved up to 24 hours before the start. Please contact us instead.' },
  blocked: { message: 'You can’t book with this account at the moment. Please email studio@example.com.' },
  mail_unconfirmed: { message: 'Please confirm your email address first.' },
  age_required: { message: 'You must be 18 years or older to book.' },
  id_required: { message: 'Please verify your ID before you book.' },
  slot_taken: { message: 'This time is taken.', bookings: [] },
  slot_closed: { message: 'The studio is closed at this time.' },
  price_changed: {
    message: 'The price of this change is different now. Please check it.',
    differenceCents: 4900,
  },
  too_many_holds: {
    message: 'You’ve started several changes without paying. Please wait a while.',
    retryAfter: 1800,
  },
  too_many_hours: {
    message: 'You can hold up to 24 hours in one booking before you pay. Please choose fewer hours.',
    hours: 30,
    fit: 24,
  },
} as const;
