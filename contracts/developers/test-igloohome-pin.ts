import { z } from 'zod';
import { defineCall } from '../core/define-call.ts';
import { instantText, noBody } from '../core/fields.ts';
import { trialAnswer, trialLimit } from './trial-answer.ts';

export const testIgloohomePin = defineCall({
  name: 'test-igloohome-pin',
  summary: 'Issues a code of staff for the first lock until 7 pm. No hours are closed for it.',
  methods: ['POST'],
  callers: 'developers',
  limit: trialLimit,
  body: noBody,
  answer: trialAnswer({
    pinData: z.strictObject({
      pin: z.string(),
      pinId: z.string().nullable().describe('The id that the lock system gave the code.'),
      deviceId: z.string(),
      startTime: instantText,
      endTime: instantText,
    }),
  }),
  refusals: {
    code_limit: {
      message:
        'The lock has no codes left for these hours. Existing codes still work, and you can open the door on the Doors tab.',
    },
    already_done: {
      message: 'This code was revoked while it was being created.',
      codeId: '66666666-6666-4666-8666-666666666666',
    },
  },
  example: {
    body: {},
    answer: {
      success: true,
      message: 'PIN created.',
      pinData: {
        pin: '482913',
        pinId: null,
        deviceId: 'SP1X0000AAAA',
        startTime: '2031-05-02T00:00:00.000Z',
        endTime: '2031-05-02T09:00:00.000Z',
      },
    },
  },
});
