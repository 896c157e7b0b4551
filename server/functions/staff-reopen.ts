import { z } from 'zod';
import { instantField } from '#contracts/core/fields.ts';
import type { BookingContext } from '#server/operations/bookings/context.ts';
import { reopenHours } from '#server/operations/closures/reopen-hours.ts';
import { actorOf, parse } from './requests.ts';
import { json } from './responses.ts';
import type { ServerFunction } from './function.ts';

const LIMIT = { name: 'staff-reopen', max: 60, seconds: 60 };
const bodySchema = z
  .object({
    closureId: z.uuid(),
    startTime: instantField.nullable().default(null),
    following: z.boolean().default(false),
  })
  .refine(({ startTime, following }) => startTime !== null || !following, {
    path: ['startTime'],
    message: 'following needs the start of a week',
  });

/**
 * Opens the hours of a closure that are not over: `{closureId, reopened: true}`. With `startTime` only the week that starts then, with `following`
 * also the weeks after it.
 */
export function staffReopen({ booking }: { booking: BookingContext }): ServerFunction {
  return {
    methods: ['POST'],
    callers: 'staff',
    permission: 'bookings',
    limit: LIMIT,
    async handle({ caller, body }) {
      const { closureId, startTime, following } = parse(bodySchema, body);
      await reopenHours(booking, { closureId, from: startTime, following }, actorOf(caller));
      return json({ closureId, reopened: true });
    },
  };
}
