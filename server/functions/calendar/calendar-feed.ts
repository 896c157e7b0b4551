import { createHash } from 'node:crypto';
import { calendarFeed as contract } from '#contracts/calendar/calendar-feed.ts';
import { readFeed } from '#server/operations/calendar/feeds.ts';
import { defineHandler } from '../handler.ts';

export const calendarFeed = defineHandler(contract, async (services, { request, url }) => {
  const content = await readFeed(services, url.searchParams.get('token') ?? '');
  const tag = `"${createHash('sha256').update(content).digest('base64url').slice(0, 27)}"`;
  const headers = { etag: tag, 'cache-control': 'private, no-cache' };
  const tags = request.headers.get('if-none-match')?.split(',') ?? [];
  if (tags.some((etag) => etag.trim().replace(/^W\//, '') === tag)) return new Response(null, { status: 304, headers });
  return new Response(content, {
    headers: {
      ...headers,
      'content-type': 'text/calendar; charset=utf-8',
      'content-disposition': 'inline; filename="calendar.ics"',
    },
  });
});
