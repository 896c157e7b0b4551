import { z } from 'zod';
import type { Bookings } from '#server/operations/bookings.ts';
import { bookingIdField, json, parse, signedIn } from './answers.ts';
import type { ServerFunction } from './function.ts';

const LIMIT = { name: 'queued-mail', max: 60, seconds: 60 };
/** Whatever else the body says (recipient, text, PIN) is not read: those mails are made and sent by the server alone (decisions T-58). */
const bodySchema = z.looseObject({ bookingId: bookingIdField.nullish() });

/** `send-booking-confirmation` and `send-access-code-email`: the mail was queued with the booking; its owner is told so with 202. */
export function queuedMail(parts: { bookings: Bookings }): ServerFunction {
  return {
    methods: ['POST'],
    callers: 'signed-in',
    limit: LIMIT,
    async handle({ caller, body }) {
      const { userId } = signedIn(caller);
      const { bookingId } = parse(bodySchema, body);
      await parts.bookings.own(userId, bookingId ?? null);
      return json({ queued: true }, 202);
    },
  };
}
