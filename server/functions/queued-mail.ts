import { z } from 'zod';
import { bookingIdField } from '#contracts/core/fields.ts';
import type { BookingContext } from '#server/operations/bookings/context.ts';
import { readOwnBooking } from '#server/operations/bookings/read-own-booking.ts';
import { parse, signedIn } from './requests.ts';
import { json } from './responses.ts';
import type { ServerFunction } from './function.ts';

const LIMIT = { name: 'queued-mail', max: 60, seconds: 60 };
/** Recipient, text and PIN in the body are ignored: only the server writes these mails. */
const bodySchema = z.looseObject({ bookingId: bookingIdField.nullish() });

/** Answers `send-booking-confirmation` and `send-access-code-email` with 202: the mail was already queued with the booking. */
export function queuedMail(context: { booking: BookingContext }): ServerFunction {
  return {
    methods: ['POST'],
    callers: 'signed-in',
    limit: LIMIT,
    async handle({ caller, body }) {
      const { userId } = signedIn(caller);
      const { bookingId } = parse(bodySchema, body);
      await readOwnBooking(context.booking, userId, bookingId ?? null);
      return json({ queued: true }, 202);
    },
  };
}
