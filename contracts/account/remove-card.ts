import { z } from 'zod';
import { defineCall } from '../core/define-call.ts';
import { cardField } from '../core/fields.ts';

export const removeCard = defineCall({
  name: 'remove-card',
  summary: 'Removes a saved card of the account at the payment provider.',
  methods: ['POST'],
  callers: 'signed-in',
  limit: { max: 10, seconds: 60 },
  body: z.object({ cardId: cardField }),
  answer: z.strictObject({ removed: z.literal(true) }),
  refusals: { not_found: { message: 'This card is no longer saved.' } },
  example: { body: { cardId: 'pm_1' }, answer: { removed: true } },
});
