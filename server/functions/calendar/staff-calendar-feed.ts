import { staffCalendarFeed as contract } from '#contracts/calendar/staff-calendar-feed.ts';
import type { LinkSigner } from '#server/crypto/link-signer.ts';
import type { BookingContext } from '#server/operations/bookings/context.ts';
import { openFeed, revokeFeed } from '#server/operations/calendar/feeds.ts';
import { defineHandler } from '../handler.ts';
import { actorOf } from '../requests.ts';

type Services = { readonly booking: BookingContext; readonly links: LinkSigner };

export const staffCalendarFeed = defineHandler(contract, async ({ booking, links }: Services, { caller, body }) => {
  const feeds = { ...booking, links };
  const actor = actorOf(caller);
  if (body.action === 'revoke') return { revoked: await revokeFeed(feeds, body.studioId, actor) };
  return { url: await openFeed(feeds, body.studioId, actor) };
});
