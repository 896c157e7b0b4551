import { z } from 'zod';
import { bookingIdField, instantField, phoneField, requestIdField, seriesField } from '#contracts/core/fields.ts';
import { customerSchema } from '#rules/people.ts';
import { settings as venue } from '#rules/venue.ts';
import { readMoneyRight } from '#server/operations/staff/money-right.ts';
import type { StaffContext } from '#server/operations/staff/require-permission.ts';
import { bookForStaff } from '#server/operations/bookings/book-for-staff.ts';
import type { BookingContext } from '#server/operations/bookings/context.ts';
import { actorOf, parse } from './requests.ts';
import { json } from './responses.ts';
import type { ServerFunction } from './function.ts';

const LIMIT = { name: 'staff-create-booking', max: 60, seconds: 60 };
const { email, fullName } = customerSchema.shape;
const bodySchema = z.object({
  studioId: bookingIdField,
  startTime: instantField,
  endTime: instantField,
  customerEmail: email.transform((text) => text.toLowerCase()),
  customerName: fullName,
  customerPhone: phoneField.transform((phone) => phone ?? null),
  payment: z.enum(['link', 'free', 'elsewhere']),
  series: seriesField,
  priceCents: z.int().min(venue.cardMinimumCents).max(10_000_000).nullable().default(null),
  notes: z
    .string()
    .trim()
    .max(2000)
    // This word marks a test booking, which needs no payment.
    .refine((text) => text.toLowerCase() !== 'test', 'this note is for test bookings')
    .transform((text) => (text === '' ? null : text))
    .nullable()
    .default(null),
  requestId: requestIdField,
});

/**
 * Books hours for an account or a guest, or with `series: {dates}` the same hours on each date as one order. It answers `{bookingId, reference, url?}`, for
 * an order those of its first booking. `link` holds the hours and mails a link to pay, which is also `url`; the answer is 202 with `pending` while the
 * provider has not answered. `free` and `elsewhere` confirm at once. `priceCents` is the price of each booking, below that of the list. These three need the
 * permission `money` too. The same call again answers the same booking: give each of two bookings of the same hours its own `requestId`.
 */
export function staffCreateBooking({
  booking,
  staff,
}: {
  booking: BookingContext;
  staff: StaffContext;
}): ServerFunction {
  return {
    methods: ['POST'],
    callers: 'staff',
    permission: 'bookings',
    limit: LIMIT,
    async handle({ caller, body }) {
      const wanted = parse(bodySchema, body);
      const money = await readMoneyRight(staff, caller);
      const made = await bookForStaff(booking, { ...wanted, actor: actorOf(caller), money });
      const { bookingId, reference, url, pending } = made;
      const answer = { bookingId, reference, ...(url === null ? {} : { url }), ...(pending ? { pending } : {}) };
      return json(answer, pending ? 202 : 200);
    },
  };
}
