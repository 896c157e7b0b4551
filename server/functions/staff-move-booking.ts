import { z } from 'zod';
import type { BookingContext } from '#server/operations/bookings/context.ts';
import { moveBooking } from '#server/operations/bookings/move.ts';
import { actorOf, bookingIdField, instantField, parse } from './requests.ts';
import { byHand, json } from './responses.ts';
import type { ServerFunction } from './function.ts';

const LIMIT = { name: 'staff-move-booking', max: 60, seconds: 60 };
const bodySchema = z.object({
  bookingId: bookingIdField,
  studioId: bookingIdField,
  startTime: instantField,
  endTime: instantField,
  waive: z.boolean().default(false),
});

/**
 * Moves a confirmed booking: `{differenceCents, refundCents, byHand?}`. What the new hours cost less is refunded. Dearer hours are refused with
 * 409 and `differenceCents`, unless staff `waive` the difference. The same call again answers the same.
 */
export function staffMoveBooking({ booking }: { booking: BookingContext }): ServerFunction {
  return {
    methods: ['POST'],
    callers: 'staff',
    permission: 'bookings',
    limit: LIMIT,
    async handle({ caller, body }) {
      const moved = await moveBooking(booking, { ...parse(bodySchema, body), actor: actorOf(caller) });
      return json({ differenceCents: moved.differenceCents, refundCents: moved.refundCents, ...byHand(moved) });
    },
  };
}
