import { z } from 'zod';
import type { BookingContext } from '#server/operations/bookings/context.ts';
import { stopCampaign } from '#server/operations/mails/campaigns.ts';
import { actorOf, parse } from './requests.ts';
import { json } from './responses.ts';
import type { ServerFunction } from './function.ts';

const LIMIT = { name: 'staff-stop-campaign', max: 60, seconds: 60 };
const bodySchema = z.object({ campaignId: z.uuid() });

/** Stops the mails of a campaign that have not left: `{stopped}`. */
export function staffStopCampaign({ booking }: { booking: BookingContext }): ServerFunction {
  return {
    methods: ['POST'],
    callers: 'staff',
    permission: 'settings',
    limit: LIMIT,
    async handle({ caller, body }) {
      await stopCampaign(booking, parse(bodySchema, body).campaignId, actorOf(caller));
      return json({ stopped: true });
    },
  };
}
