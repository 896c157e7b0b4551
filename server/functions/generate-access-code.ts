import { z } from 'zod';
import { bookingIdField } from '#contracts/core/fields.ts';
import type { AccessContext } from '#server/operations/access/context.ts';
import { ensureCode } from '#server/operations/access/issue-first-code.ts';
import { recordView } from '#server/operations/access/record-view.ts';
import type { BookingContext } from '#server/operations/bookings/context.ts';
import { readOwnBooking } from '#server/operations/bookings/read-own-booking.ts';
import { parse, signedIn } from './requests.ts';
import { json } from './responses.ts';
import type { ServerFunction } from './function.ts';

const LIMIT = { name: 'generate-access-code', max: 30, seconds: 60 };
/** Times and names in the body are ignored: the booking has them. */
const bodySchema = z.looseObject({ bookingId: bookingIdField });

/** Returns the code of the caller's own confirmed booking, always the same one. `pinCode` is null until `releaseAt`, and while the code is `held`. */
export function generateAccessCode(context: { booking: BookingContext; access: AccessContext }): ServerFunction {
  return {
    methods: ['POST'],
    callers: 'signed-in',
    limit: LIMIT,
    async handle({ caller, body }) {
      const { userId } = signedIn(caller);
      const { bookingId } = parse(bodySchema, body);
      await readOwnBooking(context.booking, userId, bookingId);
      const access = await ensureCode(context.access, bookingId);
      await recordView(context.access, access, null);
      return json({
        pinCode: access.pin,
        pinId: access.pinId,
        held: access.held,
        releaseAt: access.releaseAt,
        worksFrom: access.worksFrom,
        worksUntil: access.worksUntil,
      });
    },
  };
}
