import { z } from 'zod';
import { defineCall } from '../core/define-call.ts';
import { noBody } from '../core/fields.ts';

export const savedCards = defineCall({
  name: 'saved-cards',
  summary: 'Lists the cards that the account has saved at the payment provider, the newest first.',
  methods: ['POST'],
  callers: 'signed-in',
  limit: { max: 30, seconds: 60 },
  body: noBody,
  answer: z.strictObject({
    cards: z.array(
      z.strictObject({
        id: z.string(),
        brand: z.string().describe('As the provider spells it, such as `visa`.'),
        last4: z.string(),
        expiryMonth: z.int(),
        expiryYear: z.int(),
      }),
    ),
  }),
  refusals: {},
  example: {
    body: {},
    answer: { cards: [{ id: 'pm_1', brand: 'visa', last4: '4242', expiryMonth: 4, expiryYear: 2034 }] },
  },
});
