import { defineCall } from '../core/define-call.ts';
import { queuedMail } from './queued-mail.ts';

export const sendBookingConfirmation = defineCall({
  ...queuedMail,
  name: 'send-booking-confirmation',
  summary:
    'Answers with 202: the server has queued the confirmation mail with the booking. Recipient and text in the body ' +
    'are ignored, because only the server writes mails.',
});
