import { z } from 'zod';
import type { BookingContext } from '#server/operations/bookings/context.ts';
import { reopenHours } from '#server/operations/closures/reopen-hours.ts';
import { actorOf, parse } from './requests.ts';
import { json } from './responses.ts';
import type { ServerFunction } from './function.ts';

const LIMIT = { name: 'staff-reopen', max: 60, seconds: 60 };
const bodySchema = z.object({ closureId: z.uuid() });

/** Opens the hours of a closure that are not over: `{closureId, reopened: true}`. */
export function staffReopen({ booking }: { booking: BookingContext }): ServerFunction {
  return {
    methods: ['POST'],
    callers: 'staff',
    permission: 'bookings',
    limit: LIMIT,
    async handle({ caller, body }) {
      const { closureId } = parse(bodySchema, body);
      await reopenHours(booking, closureId, actorOf(caller));
      return json({ closureId, reopened: true });
    },
  };
}
