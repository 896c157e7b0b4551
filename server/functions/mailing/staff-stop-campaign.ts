import { staffStopCampaign as contract } from '#contracts/mailing/staff-stop-campaign.ts';
import type { BookingContext } from '#server/operations/bookings/context.ts';
import { stopCampaign } from '#server/operations/mails/campaigns.ts';
import { defineHandler } from '../handler.ts';
import { actorOf } from '../requests.ts';

export const staffStopCampaign = defineHandler(
  contract,
  async ({ booking }: { booking: BookingContext }, { caller, body }) => {
    await stopCampaign(booking, body.campaignId, actorOf(caller));
    return { stopped: true as const };
  },
);
