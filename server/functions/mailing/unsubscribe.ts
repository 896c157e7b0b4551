import { z } from 'zod';
import { unsubscribe as contract } from '#contracts/mailing/unsubscribe.ts';
import { leaveMailingList } from '#server/operations/mails/campaigns.ts';
import { defineHandler } from '../handler.ts';
import { parse } from '../requests.ts';

const querySchema = z.object({ id: z.uuid() });

export const unsubscribe = defineHandler(contract, async (services, { request, url }) => {
  const { id } = parse(querySchema, Object.fromEntries(url.searchParams));
  if (request.method === 'GET')
    return new Response(null, {
      status: 303,
      headers: { location: `/unsubscribe?id=${id}`, 'cache-control': 'no-store' },
    });
  await leaveMailingList(services, id);
  return { unsubscribed: true as const };
});
