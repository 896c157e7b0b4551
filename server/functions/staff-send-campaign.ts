import { z } from 'zod';
import { CAMPAIGN_PACE, CAMPAIGN_PACE_MAX, letterSchema } from '#rules/letter.ts';
import type { BookingContext } from '#server/operations/bookings/context.ts';
import { startCampaign } from '#server/operations/mails/campaigns.ts';
import { actorOf, parse } from './requests.ts';
import { json } from './responses.ts';
import type { ServerFunction } from './function.ts';

const LIMIT = { name: 'staff-send-campaign', max: 20, seconds: 60 };
const bodySchema = letterSchema.extend({
  campaignId: z.uuid(),
  perMinute: z.int().min(1).max(CAMPAIGN_PACE_MAX).default(CAMPAIGN_PACE),
});

/** Mails everybody on the mailing list, `perMinute` in a minute: `{recipients}`. */
export function staffSendCampaign({ booking }: { booking: BookingContext }): ServerFunction {
  return {
    methods: ['POST'],
    callers: 'staff',
    permission: 'settings',
    limit: LIMIT,
    async handle({ caller, body }) {
      return json({ recipients: await startCampaign(booking, parse(bodySchema, body), actorOf(caller)) });
    },
  };
}
