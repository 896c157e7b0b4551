import { z } from 'zod';
import { readReply } from './call.ts';
import { callHttp, refusedBy } from './http-call.ts';
import type { TextMessages } from './ports.ts';

const messageSchema = z.looseObject({ sid: z.string().min(1) });
const failureSchema = z.looseObject({ code: z.number() });

/**
 * Sends text messages by Twilio. `from`: a number in E.164, or the id of a messaging service (`MG…`). Twilio has no idempotency keys, so a
 * repeat after a lost answer may send the same text twice, which does no harm.
 */
export function createTwilioTexts(config: {
  accountSid: string;
  authToken: string;
  from: string;
  apiUrl: string;
}): TextMessages {
  const authorization = `Basic ${Buffer.from(`${config.accountSid}:${config.authToken}`).toString('base64')}`;
  const url = `${config.apiUrl}/2010-04-01/Accounts/${encodeURIComponent(config.accountSid)}/Messages.json`;
  const sender = config.from.startsWith('MG') ? 'MessagingServiceSid' : 'From';
  return {
    async send({ to, text }) {
      const { status, body } = await callHttp('twilio', url, {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ To: to, [sender]: config.from, Body: text }).toString(),
      });
      if (status === 201 || status === 200) {
        readReply('twilio', messageSchema, body);
        return;
      }
      const failure = failureSchema.safeParse(body);
      throw refusedBy('twilio', status, failure.success ? `error ${failure.data.code}` : `status ${status}`, body);
    },
  };
}
