import { defineCall } from '../core/define-call.ts';
import { queuedMail } from './queued-mail.ts';

export const sendAccessCodeEmail = defineCall({
  ...queuedMail,
  name: 'send-access-code-email',
  summary:
    'Answers with 202: the server has queued the mail with the access code when the booking was confirmed. ' +
    'Recipient, text and code in the body are ignored, because only the server writes mails.',
});
