import { z } from 'zod';
import { defineCall } from '../core/define-call.ts';
import { noBody } from '../core/fields.ts';

export const unsubscribe = defineCall({
  name: 'unsubscribe',
  summary:
    'Ends the subscription whose `id` is in the query. It is the address in the header of news (RFC 8058): a mail ' +
    'program needs one POST and no key. A GET leads a person to the page, because mail scanners open links too. ' +
    'There is no limit, because the id is the secret and large mail services send from few addresses.',
  methods: ['GET', 'POST'],
  callers: 'provider',
  limit: null,
  body: noBody,
  answer: z.strictObject({ unsubscribed: z.literal(true) }),
  refusals: {},
  example: { body: {}, answer: { unsubscribed: true } },
});
