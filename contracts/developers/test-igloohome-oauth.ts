import { z } from 'zod';
import { defineCall } from '../core/define-call.ts';
import { noBody } from '../core/fields.ts';
import { trialAnswer, trialLimit } from './trial-answer.ts';

export const testIgloohomeOauth = defineCall({
  name: 'test-igloohome-oauth',
  summary: 'Checks our credentials at the lock system, and lists the ids of our devices.',
  methods: ['POST'],
  callers: 'developers',
  limit: trialLimit,
  body: noBody,
  answer: trialAnswer({ response: z.strictObject({ devices: z.array(z.string()) }) }),
  refusals: {},
  example: {
    body: {},
    answer: { success: true, message: 'Signed in; 1 devices.', response: { devices: ['SP1X0000AAAA'] } },
  },
});
