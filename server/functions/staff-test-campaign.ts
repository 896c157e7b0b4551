import { letterSchema } from '#rules/letter.ts';
import type { BookingContext } from '#server/operations/bookings/context.ts';
import { testCampaign } from '#server/operations/mails/campaigns.ts';
import { parse } from './requests.ts';
import { json } from './responses.ts';
import type { ServerFunction } from './function.ts';

const LIMIT = { name: 'staff-test-campaign', max: 10, seconds: 60 };

/** Mails a campaign to the caller's own address only: `{queued}`. The service key has none. */
export function staffTestCampaign({ booking }: { booking: BookingContext }): ServerFunction {
  return {
    methods: ['POST'],
    callers: 'staff',
    permission: 'settings',
    limit: LIMIT,
    async handle({ caller, body }) {
      await testCampaign(booking, parse(letterSchema, body), caller.userId);
      return json({ queued: true }, 202);
    },
  };
}
