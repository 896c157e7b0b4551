import { z } from 'zod';
import type { BookingContext } from '#server/operations/bookings/context.ts';
import { closeHours } from '#server/operations/closures/close-hours.ts';
import { actorOf, instantField, parse } from './requests.ts';
import { json } from './responses.ts';
import type { ServerFunction } from './function.ts';

const LIMIT = { name: 'staff-close', max: 60, seconds: 60 };
const bodySchema = z.object({
  studioId: z.uuid().nullable(),
  startTime: instantField,
  endTime: instantField,
  weeks: z.int().min(1).max(104).default(1),
  reason: z.string().trim().min(1).max(200),
  public: z.boolean().default(false),
});

/**
 * Closes hours of one studio or, with `studioId: null`, of all: `{closureId}`. `weeks` repeats the closure each week. Refuses with 409 and
 * `bookings` when bookings are in the way.
 */
export function staffClose({ booking }: { booking: BookingContext }): ServerFunction {
  return {
    methods: ['POST'],
    callers: 'staff',
    permission: 'bookings',
    limit: LIMIT,
    async handle({ caller, body }) {
      return json({ closureId: await closeHours(booking, parse(bodySchema, body), actorOf(caller)) });
    },
  };
}
