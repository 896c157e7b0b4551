import { z } from 'zod';
import type { BookingContext } from '#server/operations/bookings/context.ts';
import { leaveMailingList } from '#server/operations/mails/campaigns.ts';
import { parse } from './requests.ts';
import { json } from './responses.ts';
import type { ServerFunction } from './function.ts';

const querySchema = z.object({ id: z.uuid() });

/**
 * The address in the header of news (RFC 8058): a mail program ends the subscription with one POST, without a key. A person who opens it gets the page,
 * because mail scanners open links too. No limit: the id is the secret, and large mail services send from few addresses.
 */
export function unsubscribe({ booking }: { booking: BookingContext }): ServerFunction {
  return {
    methods: ['GET', 'POST'],
    callers: 'provider',
    limit: null,
    async handle({ request, url }) {
      const { id } = parse(querySchema, Object.fromEntries(url.searchParams));
      if (request.method === 'GET')
        return new Response(null, {
          status: 303,
          headers: { location: `/unsubscribe?id=${id}`, 'cache-control': 'no-store' },
        });
      await leaveMailingList(booking, id);
      return json({ unsubscribed: true });
    },
  };
}
