import { z } from 'zod';
import { defineCall } from '../core/define-call.ts';
import { crewPageAnswer, crewPageExample, crewPageRefusals, crewToken } from './crew-page-answer.ts';

export const crewCode = defineCall({
  name: 'crew-code',
  summary:
    'Makes another access code for a guest whose code was used. The answer is that of `crew-page`. While the ' +
    'newest code still works, it changes nothing.',
  methods: ['POST'],
  callers: 'everyone',
  limit: { max: 20, seconds: 60 },
  body: z.object({ token: crewToken }),
  answer: crewPageAnswer,
  refusals: {
    ...crewPageRefusals,
    terms_required: { message: 'Please accept the terms first.' },
    session_ended: { message: 'Session has ended' },
    code_held: { message: 'The code for this booking is on hold. Please contact us before you come.' },
    code_not_released: { message: 'Your code isn’t available yet.', releaseAt: '2031-05-01T23:45:00.000Z' },
    code_wait: { message: 'Please wait 12 seconds before making another code.', seconds: 12 },
    code_limit: { message: 'No more codes can be made for this session. Please contact us.' },
  },
  example: { body: { token: 'Zx3vV0pWq8J9mM2rT5yB7cD1eF4gH6iK' }, answer: crewPageExample },
});
