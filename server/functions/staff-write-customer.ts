import { z } from 'zod';
import { letterSchema } from '#rules/letter.ts';
import type { BookingContext } from '#server/operations/bookings/context.ts';
import { writeCustomer } from '#server/operations/customers/write.ts';
import { actorOf, parse } from './requests.ts';
import { json } from './responses.ts';
import type { ServerFunction } from './function.ts';

const LIMIT = { name: 'staff-write-customer', max: 60, seconds: 60 };
const bodySchema = letterSchema.extend({ messageId: z.uuid(), userId: z.uuid() });

/** Mails a customer what staff wrote: `{queued}`. Answers go to the business. */
export function staffWriteCustomer({ booking }: { booking: BookingContext }): ServerFunction {
  return {
    methods: ['POST'],
    callers: 'staff',
    permission: 'bookings',
    limit: LIMIT,
    async handle({ caller, body }) {
      await writeCustomer(booking, parse(bodySchema, body), actorOf(caller));
      return json({ queued: true }, 202);
    },
  };
}
