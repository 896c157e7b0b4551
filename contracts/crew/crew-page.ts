import { z } from 'zod';
import { defineCall } from '../core/define-call.ts';
import { crewPageAnswer, crewPageExample, crewPageRefusals, crewToken } from './crew-page-answer.ts';

export const crewPage = defineCall({
  name: 'crew-page',
  summary:
    'Shows what an invitation to a crew leads to: the booking, the host and, once the guest has joined, the way in.',
  methods: ['POST'],
  callers: 'everyone',
  limit: { max: 120, seconds: 60 },
  body: z.object({ token: crewToken }),
  answer: crewPageAnswer,
  refusals: crewPageRefusals,
  example: { body: { token: 'Zx3vV0pWq8J9mM2rT5yB7cD1eF4gH6iK' }, answer: crewPageExample },
});
