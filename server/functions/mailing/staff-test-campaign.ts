import { staffTestCampaign as contract } from '#contracts/mailing/staff-test-campaign.ts';
import { testCampaign } from '#server/operations/mails/campaigns.ts';
import { accepted, defineHandler } from '../handler.ts';

export const staffTestCampaign = defineHandler(contract, async (services, { caller, body }) => {
  await testCampaign(services, body, caller.userId);
  return accepted({ queued: true });
});
