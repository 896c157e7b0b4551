import { staffStopCampaign as contract } from '#contracts/mailing/staff-stop-campaign.ts';
import { stopCampaign } from '#server/operations/mails/campaigns.ts';
import { defineHandler } from '../handler.ts';
import { getActor } from '../requests.ts';

export const staffStopCampaign = defineHandler(contract, async (services, { caller, body }) => {
  await stopCampaign(services, body.campaignId, getActor(caller));
  return { stopped: true as const };
});
