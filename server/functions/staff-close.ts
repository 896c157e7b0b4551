import { z } from 'zod';
import { instantField } from '#contracts/core/fields.ts';
import { daysBetween, isStudioDate, studioDate } from '#rules/studio-time.ts';
import type { BookingContext } from '#server/operations/bookings/context.ts';
import { closeHours } from '#server/operations/closures/close-hours.ts';
import { actorOf, parse } from './requests.ts';
import { json } from './responses.ts';
import type { ServerFunction } from './function.ts';

/** As in the constraint of the table. */
const WEEKS_MAX = 104;
const LIMIT = { name: 'staff-close', max: 60, seconds: 60 };
const bodySchema = z
  .object({
    studioId: z.uuid().nullable(),
    startTime: instantField,
    endTime: instantField,
    weeks: z.int().min(1).max(WEEKS_MAX).optional(),
    repeatUntil: z.string().refine(isStudioDate, 'must be a day, YYYY-MM-DD').optional(),
    endless: z.boolean().default(false),
    reason: z.string().trim().min(1).max(200),
    public: z.boolean().default(false),
  })
  .transform(({ weeks, repeatUntil, endless, ...closure }, context) => {
    const refuse = (message: string): never => {
      context.addIssue({ code: 'custom', path: ['repeatUntil'], message });
      return z.NEVER;
    };
    if ([weeks !== undefined, repeatUntil !== undefined, endless].filter(Boolean).length > 1)
      return refuse('send one of weeks, repeatUntil and endless');
    if (endless) return { ...closure, weeks: 'endless' as const };
    if (repeatUntil === undefined) return { ...closure, weeks: weeks ?? 1 };
    const times = Math.floor(daysBetween(studioDate(closure.startTime), repeatUntil) / 7) + 1;
    return times < 1 || times > WEEKS_MAX
      ? refuse(`must be between the first day and ${WEEKS_MAX} weeks later`)
      : { ...closure, weeks: times };
  });

/**
 * Closes hours of one studio or, with `studioId: null`, of all: `{closureId}`. `weeks`, or `repeatUntil` as a day in Sydney, repeats the closure each
 * week; `endless: true` does until staff open it again. Refuses with 409 and `bookings` when bookings are in the way. The same call again closes weeks that were reopened since.
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
