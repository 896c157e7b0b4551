import { z } from 'zod';
import { letterSchema } from '#rules/letter.ts';
import { defineCall } from '../core/define-call.ts';

export const staffTestCampaign = defineCall({
  name: 'staff-test-campaign',
  summary:
    'Mails a campaign to the caller’s own address only. It is refused for the service key, which has no address. The ' +
    'status is 202.',
  methods: ['POST'],
  callers: 'staff',
  permission: 'settings',
  limit: { max: 10, seconds: 60 },
  body: letterSchema,
  answer: z.strictObject({ queued: z.literal(true) }),
  refusals: {},
  example: { body: { subject: 'A third room opens', body: 'Come and play in it.' }, answer: { queued: true } },
});
