import { z } from 'zod';
import { defineCall } from '../core/define-call.ts';

export const staffStopCampaign = defineCall({
  name: 'staff-stop-campaign',
  summary: 'Stops a campaign: its mails that have not left yet are not sent. Idempotent.',
  methods: ['POST'],
  callers: 'staff',
  permission: 'settings',
  limit: { max: 60, seconds: 60 },
  body: z.object({ campaignId: z.uuid() }),
  answer: z.strictObject({ stopped: z.literal(true) }),
  refusals: { not_found: { message: 'This email doesn’t exist.' } },
  example: { body: { campaignId: '77777777-7777-4777-8777-777777777777' }, answer: { stopped: true } },
});
