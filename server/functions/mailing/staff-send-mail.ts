import { staffSendMail as contract } from '#contracts/mailing/staff-send-mail.ts';
import type { BookingContext } from '#server/operations/bookings/context.ts';
import { sendMailAgain } from '#server/operations/mails/send-again.ts';
import { accepted, defineHandler } from '../handler.ts';
import { actorOf } from '../requests.ts';

export const staffSendMail = defineHandler(
  contract,
  async ({ booking }: { booking: BookingContext }, { caller, body }) => {
    await sendMailAgain(booking, body, actorOf(caller));
    return accepted({ queued: true });
  },
);
