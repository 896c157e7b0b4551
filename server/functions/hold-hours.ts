import { z } from 'zod';
import type { BookingContext } from '#server/operations/bookings/context.ts';
import { holdEarly } from '#server/operations/customers/hold-early.ts';
import type { ServerFunction } from './function.ts';
import { bookingIdField, instantField, parse, signedIn } from './requests.ts';
import { json } from './responses.ts';

const bodySchema = z.object({ studioId: bookingIdField, startTime: instantField, endTime: instantField });

/** Holds hours for the caller while their ID is being verified: `{heldUntil}`. Refused hours can still be booked by whoever comes first. */
export function holdHours(context: { booking: BookingContext }): ServerFunction {
  return {
    methods: ['POST'],
    callers: 'signed-in',
    limit: { name: 'hold-hours', max: 20, seconds: 60 },
    async handle({ caller, body }) {
      const { userId } = signedIn(caller);
      const heldUntil = await holdEarly(context.booking, { userId, address: caller.ip, ...parse(bodySchema, body) });
      return json({ heldUntil: heldUntil.toISOString() });
    },
  };
}
