import { staffStopCampaign as contract } from '#contracts/mailing/staff-stop-campaign.ts';
import { stopCampaign } from '#server/operations/mails/campaigns.ts';
import { defineHandler } from '../handler.ts';
import { actorOf } from '../requests.ts';

export const staffStopCampaign = defineHandler(contract, async (services, { caller, body }) => {
  await stopCampaign(services, body.campaignId, actorOf(caller));
  return { stopped: true as const };
});
