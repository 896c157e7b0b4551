import { staffSendCampaign as contract } from '#contracts/mailing/staff-send-campaign.ts';
import { startCampaign } from '#server/operations/mails/campaigns.ts';
import { defineHandler } from '../handler.ts';
import { getActor } from '../requests.ts';

export const staffSendCampaign = defineHandler(contract, async (services, { caller, body }) => ({
  recipients: await startCampaign(services, body, getActor(caller)),
}));
