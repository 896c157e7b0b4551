import { z } from 'zod';
import type { LinkSigner } from '#server/crypto/link-signer.ts';
import type { Clock } from '#server/http/caller.ts';
import type { AccessContext } from '#server/operations/access/context.ts';
import type { BookingContext } from '#server/operations/bookings/context.ts';
import { readOwnBooking } from '#server/operations/bookings/read-own-booking.ts';
import { Refusal } from '#server/operations/core/refusal.ts';
import { askForDoorHelp, readDoorHelp } from '#server/operations/incidents/door-help.ts';
import { PIN_LINK } from '#server/operations/mails/booking-mail.ts';
import type { ServerFunction } from './function.ts';
import { bookingIdField, parse } from './requests.ts';
import { json } from './responses.ts';

const LIMIT = { name: 'door-help', max: 30, seconds: 60 };
const bodySchema = z.object({
  bookingId: bookingIdField,
  token: z.string().max(300).nullable().default(null),
  ask: z.boolean().default(false),
});

/**
 * Says what the lock of a booking tells about its door: `{online, hasCode, wrongAt, openedAt, asked}`; with `ask` it tells staff that it does not open.
 * For the owner of the booking, and with the signed link of the code mail.
 */
export function doorHelp(context: {
  access: AccessContext;
  booking: BookingContext;
  links: LinkSigner;
  clock: Clock;
}): ServerFunction {
  return {
    methods: ['POST'],
    callers: 'everyone',
    limit: LIMIT,
    async handle({ caller, body }) {
      const { bookingId, token, ask } = parse(bodySchema, body);
      const isLinked = token !== null && context.links.read(PIN_LINK, token, context.clock()) === bookingId;
      if (!isLinked) {
        if (caller.userId === null) throw new Refusal('not_signed_in', 'Please sign in to get help with your door.');
        await readOwnBooking(context.booking, caller.userId, bookingId);
      }
      return json(
        ask
          ? await askForDoorHelp(context.access, bookingId, caller.userId)
          : await readDoorHelp(context.access, bookingId),
      );
    },
  };
}
