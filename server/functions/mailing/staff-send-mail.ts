import { staffSendMail as contract } from '#contracts/mailing/staff-send-mail.ts';
import { sendMailAgain } from '#server/operations/mails/send-again.ts';
import { accepted, defineHandler } from '../handler.ts';
import { getActor } from '../requests.ts';

export const staffSendMail = defineHandler(contract, async (services, { caller, body }) => {
  await sendMailAgain(services, body, getActor(caller));
  return accepted({ queued: true });
});
