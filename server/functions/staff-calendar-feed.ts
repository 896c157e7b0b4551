import { z } from 'zod';
import type { LinkSigner } from '#server/crypto/link-signer.ts';
import type { BookingContext } from '#server/operations/bookings/context.ts';
import { openFeed, revokeFeed } from '#server/operations/calendar/feeds.ts';
import { actorOf, parse } from './requests.ts';
import { json } from './responses.ts';
import type { ServerFunction } from './function.ts';

const LIMIT = { name: 'staff-calendar-feed', max: 30, seconds: 60 };
const bodySchema = z.object({ studioId: z.uuid(), action: z.enum(['create', 'revoke']) });

/**
 * The private calendar of a studio. `create`: `{url}`, the same address until it is revoked; each call is logged. `revoke`: `{revoked}`, false when
 * there was none.
 */
export function staffCalendarFeed({ booking, links }: { booking: BookingContext; links: LinkSigner }): ServerFunction {
  const feeds = { ...booking, links };
  return {
    methods: ['POST'],
    callers: 'staff',
    permission: 'bookings',
    limit: LIMIT,
    async handle({ caller, body }) {
      const { studioId, action } = parse(bodySchema, body);
      const actor = actorOf(caller);
      if (action === 'revoke') return json({ revoked: await revokeFeed(feeds, studioId, actor) });
      return json({ url: await openFeed(feeds, studioId, actor) });
    },
  };
}
