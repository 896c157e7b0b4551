import { z } from 'zod';
import type { AccessCodes } from '#server/operations/access-codes.ts';
import type { Bookings } from '#server/operations/bookings.ts';
import { bookingIdField, json, parse, signedIn } from './answers.ts';
import type { ServerFunction } from './function.ts';

const LIMIT = { name: 'generate-access-code', max: 30, seconds: 60 };
/** Times and names in the body are ignored: the booking has them. */
const bodySchema = z.looseObject({ bookingId: bookingIdField });

/** Returns the code of the caller's own confirmed booking, always the same one. `pinCode` is null until `releaseAt`. */
export function generateAccessCode(context: { bookings: Bookings; access: AccessCodes }): ServerFunction {
  return {
    methods: ['POST'],
    callers: 'signed-in',
    limit: LIMIT,
    async handle({ caller, body }) {
      const { userId } = signedIn(caller);
      const { bookingId } = parse(bodySchema, body);
      await context.bookings.own(userId, bookingId);
      const access = await context.access.ensure(bookingId);
      return json({
        pinCode: access.pin,
        pinId: access.pinId,
        releaseAt: access.releaseAt,
        worksFrom: access.worksFrom,
        worksUntil: access.worksUntil,
      });
    },
  };
}
