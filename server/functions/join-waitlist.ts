import { z } from 'zod';
import { spanFields } from '#contracts/core/fields.ts';
import type { BookingContext } from '#server/operations/bookings/context.ts';
import { joinWaitlist as join, leaveWaitlist as leave } from '#server/operations/customers/waitlist.ts';
import type { ServerFunction } from './function.ts';
import { parse, signedIn } from './requests.ts';
import { json } from './responses.ts';

const spanSchema = z.object(spanFields);
const entrySchema = z.object({ entryId: z.uuid() });

/** Puts the caller on the wait list for taken hours: `{entryId, ahead}`; `ahead` counts those before them who want some of the same hours. */
export function joinWaitlist(context: { booking: BookingContext }): ServerFunction {
  return {
    methods: ['POST'],
    callers: 'signed-in',
    limit: { name: 'join-waitlist', max: 30, seconds: 60 },
    async handle({ caller, body }) {
      const { userId } = signedIn(caller);
      return json(await join(context.booking, { userId, ...parse(spanSchema, body) }));
    },
  };
}

/** Takes the caller off the wait list: `{left: true}`. The hours of a claim go to the next one. */
export function leaveWaitlist(context: { booking: BookingContext }): ServerFunction {
  return {
    methods: ['POST'],
    callers: 'signed-in',
    limit: { name: 'leave-waitlist', max: 30, seconds: 60 },
    async handle({ caller, body }) {
      const { userId } = signedIn(caller);
      await leave(context.booking, { userId, ...parse(entrySchema, body) });
      return json({ left: true });
    },
  };
}
