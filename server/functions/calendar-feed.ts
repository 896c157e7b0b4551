import { createHash } from 'node:crypto';
import type { LinkSigner } from '#server/crypto/link-signer.ts';
import type { BookingContext } from '#server/operations/bookings/context.ts';
import { readFeed } from '#server/operations/calendar/feeds.ts';
import type { ServerFunction } from './function.ts';

const LIMIT = { name: 'calendar-feed', max: 60, seconds: 60 };

/** The calendar file (RFC 5545) of the studio whose feed has this `token`; 304 when it is the one that the caller has. */
export function calendarFeed({ booking, links }: { booking: BookingContext; links: LinkSigner }): ServerFunction {
  const feeds = { ...booking, links };
  return {
    methods: ['GET'],
    callers: 'link',
    limit: LIMIT,
    async handle({ request, url }) {
      const content = await readFeed(feeds, url.searchParams.get('token') ?? '');
      const tag = `"${createHash('sha256').update(content).digest('base64url').slice(0, 27)}"`;
      const headers = { etag: tag, 'cache-control': 'private, no-cache' };
      const known = request.headers.get('if-none-match')?.split(',') ?? [];
      if (known.some((one) => one.trim().replace(/^W\//, '') === tag))
        return new Response(null, { status: 304, headers });
      return new Response(content, {
        headers: {
          ...headers,
          'content-type': 'text/calendar; charset=utf-8',
          'content-disposition': 'inline; filename="calendar.ics"',
        },
      });
    },
  };
}
