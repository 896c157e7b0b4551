import { z } from 'zod';
import { bookingIdField } from '#contracts/core/fields.ts';
import type { BookingContext } from '#server/operations/bookings/context.ts';
import { sendMailAgain } from '#server/operations/mails/send-again.ts';
import { actorOf, parse } from './requests.ts';
import { json } from './responses.ts';
import type { ServerFunction } from './function.ts';

const LIMIT = { name: 'staff-send-mail', max: 60, seconds: 60 };
const bodySchema = z.object({ bookingId: bookingIdField, mailId: z.uuid(), requestId: z.uuid() });

/** Sends a mail about a booking again, with what is true now: `{queued}`. 409 with a `reason` when it would be untrue. */
export function staffSendMail({ booking }: { booking: BookingContext }): ServerFunction {
  return {
    methods: ['POST'],
    callers: 'staff',
    permission: 'bookings',
    limit: LIMIT,
    async handle({ caller, body }) {
      await sendMailAgain(booking, parse(bodySchema, body), actorOf(caller));
      return json({ queued: true }, 202);
    },
  };
}
