import { z } from 'zod';
import { defineCall } from '../core/define-call.ts';
import { noBody } from '../core/fields.ts';

export const testSmartPlug = defineCall({
  name: 'test-smart-plug',
  summary: 'Switches the lights of the rooms that name no plug on for two seconds.',
  methods: ['POST'],
  callers: 'developers',
  limit: { max: 60, seconds: 60 },
  body: noBody,
  answer: z.strictObject({ success: z.literal(true) }),
  refusals: {},
  example: { body: {}, answer: { success: true } },
});
