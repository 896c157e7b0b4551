import { z } from 'zod';
import { isPlain } from '#rules/people.ts';
import { defineCall } from '../core/define-call.ts';
import { crewPageAnswer, crewPageExample, crewPageRefusals, crewToken } from './crew-page-answer.ts';

export const crewJoin = defineCall({
  name: 'crew-join',
  summary:
    'Joins a crew with a first name and the version of the terms that the guest accepts. The answer is that of ' +
    '`crew-page`. Idempotent.',
  methods: ['POST'],
  callers: 'everyone',
  limit: { max: 20, seconds: 60 },
  body: z.object({
    token: crewToken,
    name: z
      .string()
      .trim()
      .min(1)
      .max(40)
      // The host and staff see this text next to other text.
      .refine(isPlain, 'Please use letters.'),
    termsVersion: z.string().min(1).max(40),
  }),
  answer: crewPageAnswer,
  refusals: {
    ...crewPageRefusals,
    terms_required: { message: 'The terms have changed. Please read and accept the new ones.' },
  },
  example: {
    body: { token: 'Zx3vV0pWq8J9mM2rT5yB7cD1eF4gH6iK', name: 'Sam', termsVersion: '2031-01-01' },
    answer: crewPageExample,
  },
});
