import { staffTestCampaign as contract } from '#contracts/mailing/staff-test-campaign.ts';
import type { BookingContext } from '#server/operations/bookings/context.ts';
import { testCampaign } from '#server/operations/mails/campaigns.ts';
import { accepted, defineHandler } from '../handler.ts';

export const staffTestCampaign = defineHandler(
  contract,
  async ({ booking }: { booking: BookingContext }, { caller, body }) => {
    await testCampaign(booking, body, caller.userId);
    return accepted({ queued: true });
  },
);
