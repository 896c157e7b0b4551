import { z } from 'zod';
import { CAMPAIGN_PACE, CAMPAIGN_PACE_MAX, letterSchema } from '#rules/letter.ts';
import { defineCall } from '../core/define-call.ts';

export const staffSendCampaign = defineCall({
  name: 'staff-send-campaign',
  summary:
    'Mails everyone on the mailing list, one campaign at a time. The same `campaignId` sends one mail to each and ' +
    'answers the same.',
  methods: ['POST'],
  callers: 'staff',
  permission: 'settings',
  limit: { max: 20, seconds: 60 },
  body: letterSchema.extend({
    campaignId: z.uuid(),
    perMinute: z
      .int()
      .min(1)
      .max(CAMPAIGN_PACE_MAX)
      .default(CAMPAIGN_PACE)
      .describe('How many mails leave per minute.'),
  }),
  answer: z.strictObject({ recipients: z.int().nonnegative() }),
  refusals: {
    already_done: { message: 'Another email is being sent. Wait until it has finished, or stop it.' },
  },
  example: {
    body: {
      campaignId: '77777777-7777-4777-8777-777777777777',
      subject: 'A third room opens',
      body: 'Come and play in it.',
    },
    answer: { recipients: 312 },
  },
});
