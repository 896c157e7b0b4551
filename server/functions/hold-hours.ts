import { z } from 'zod';
import type { BookingContext } from '#server/operations/bookings/context.ts';
import { holdEarly } from '#server/operations/customers/hold-early.ts';
import type { ServerFunction } from './function.ts';
import { parse, signedIn, spanFields } from './requests.ts';
import { json } from './responses.ts';

const bodySchema = z.object(spanFields);

/**
 * Holds hours for the caller while the caller verifies an ID. Answers `{heldUntil}`, an instant. When the hours are refused, they are not held, and the first customer to
 * book them gets them.
 */
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
