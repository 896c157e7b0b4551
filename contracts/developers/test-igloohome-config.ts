import { z } from 'zod';
import { ACCESS_MODES } from '#rules/access.ts';
import { defineCall } from '../core/define-call.ts';
import { noBody } from '../core/fields.ts';
import { trialLimit } from './trial-answer.ts';

export const testIgloohomeConfig = defineCall({
  name: 'test-igloohome-config',
  summary: 'Reports how the locks get their codes, and the ids of the locks that are set.',
  methods: ['POST'],
  callers: 'developers',
  limit: trialLimit,
  body: noBody,
  answer: z.strictObject({
    success: z.literal(true),
    message: z.string(),
    response: z.strictObject({ mode: z.enum(ACCESS_MODES), locks: z.array(z.string()) }),
  }),
  refusals: {},
  example: {
    body: {},
    answer: {
      success: true,
      message: 'Mode bridge, 1 locks set.',
      response: { mode: 'bridge', locks: ['SP1X0000AAAA'] },
    },
  },
});
