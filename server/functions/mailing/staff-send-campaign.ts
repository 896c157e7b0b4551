import { staffSendCampaign as contract } from '#contracts/mailing/staff-send-campaign.ts';
import type { BookingContext } from '#server/operations/bookings/context.ts';
import { startCampaign } from '#server/operations/mails/campaigns.ts';
import { defineHandler } from '../handler.ts';
import { actorOf } from '../requests.ts';

export const staffSendCampaign = defineHandler(
  contract,
  async ({ booking }: { booking: BookingContext }, { caller, body }) => ({
    recipients: await startCampaign(booking, body, actorOf(caller)),
  }),
);
