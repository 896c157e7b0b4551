import { z } from 'zod';
import type { AccessCodes } from '#server/operations/access-codes.ts';
import type { Bookings } from '#server/operations/bookings.ts';
import { bookingIdField, json, parse, signedIn } from './answers.ts';
import type { ServerFunction } from './function.ts';

const LIMIT = { name: 'generate-access-code', max: 30, seconds: 60 };
/** Times and names in the body are not read: the booking has them (decisions T-52). */
const bodySchema = z.looseObject({ bookingId: bookingIdField });

/** The code of the caller's own confirmed booking; asking again gives the same. `pinCode` is null until `releaseAt`. */
export function generateAccessCode(parts: { bookings: Bookings; access: AccessCodes }): ServerFunction {
  return {
    methods: ['POST'],
    callers: 'signed-in',
    limit: LIMIT,
    async handle({ caller, body }) {
      const { userId } = signedIn(caller);
      const { bookingId } = parse(bodySchema, body);
      await parts.bookings.own(userId, bookingId);
      const access = await parts.access.ensure(bookingId);
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
