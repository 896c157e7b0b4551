import { z } from 'zod';
import { defineCall } from '../core/define-call.ts';

export const stripeWebhook = defineCall({
  name: 'stripe-webhook',
  summary:
    'Accepts signed events of the payment provider. Only their ids are used; a repeated event changes nothing. ' +
    '200 means stored: the inbox retries what cannot be handled now. 400 means that the event is stored nowhere: ' +
    'its signature is wrong, too old or in the future, or it is of the other mode.',
  methods: ['POST'],
  callers: 'provider',
  limit: null,
  bodyMax: 1024 * 1024,
  body: z.string().describe('The text of the event, which is signed in the header `stripe-signature`.'),
  answer: z.strictObject({ received: z.literal(true) }),
  refusals: {},
  example: {
    body: '{"id":"evt_1PqRs7StUvWx","type":"checkout.session.completed"}',
    answer: { received: true },
  },
});
