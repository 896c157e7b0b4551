import { staffCalendarFeed as contract } from '#contracts/calendar/staff-calendar-feed.ts';
import { openFeed, revokeFeed } from '#server/operations/calendar/feeds.ts';
import { defineHandler } from '../handler.ts';
import { getActor } from '../requests.ts';

export const staffCalendarFeed = defineHandler(contract, async (services, { caller, body }) => {
  const actor = getActor(caller);
  if (body.action === 'revoke') return { revoked: await revokeFeed(services, body.studioId, actor) };
  return { url: await openFeed(services, body.studioId, actor) };
});
