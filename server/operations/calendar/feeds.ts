import { createHash, randomUUID } from 'node:crypto';
import { addDays, dayBounds, studioDate } from '#rules/studio-time.ts';
import type { Transaction } from '#server/db/database.ts';
import { callJson, callRows, callSql } from '../core/call-sql.ts';
import { Refusal } from '../core/refusal.ts';
import { recordShown } from '../core/shown-secrets.ts';
import { type FeedContent, writeFeed } from './feed-file.ts';
import type { Services } from '../core/services.ts';

/** Number of days before and after today that a feed covers. */
const DAYS = { before: 30, after: 90 } as const;
/** Links to feeds do not expire. Staff revoke a feed to end it. */
const NEVER = new Date('9999-12-31T00:00:00Z');

/** Returns the address of a studio's feed, and creates the feed if there is none. Throws `Refusal` for an unknown studio. */
export async function openFeed(services: Services, studioId: string, actor: string): Promise<string> {
  const now = services.clock();
  return services.db.transaction(async (tx) => {
    const existing = await readOrMake(services, tx, { studioId, actor, now });
    if (isCurrent(services, existing)) return show(services, tx, existing.id, { studioId, actor, now });
    // The server's keys have changed since the feed was created, so its address can no longer be derived. Create a new feed.
    await callSql(tx, 'revoke_calendar_feed', { p_studio: studioId, p_actor: actor, p_now: now });
    return show(services, tx, (await readOrMake(services, tx, { studioId, actor, now })).id, { studioId, actor, now });
  });
}

type Opening = { readonly studioId: string; readonly actor: string; readonly now: Date };

/** Returns the address of a feed and records who sees it. */
async function show(
  services: Services,
  tx: Transaction,
  id: string,
  { studioId, actor, now }: Opening,
): Promise<string> {
  await recordShown(tx, { kind: 'calendar-feed', id, studioId, endsAt: null }, { actor, permission: 'bookings', now });
  return getAddress(services, id);
}

/** Revokes the feed of a studio; its address answers 404 afterwards. Returns false if there is no feed. */
export async function revokeFeed({ db, clock }: Services, studioId: string, actor: string): Promise<boolean> {
  const revoked = await callSql(db, 'revoke_calendar_feed', { p_studio: studioId, p_actor: actor, p_now: clock() });
  return revoked === true;
}

/** Returns the calendar file for a token. Throws `Refusal` if the token is wrong or revoked. */
export async function readFeed({ db, clock, business }: Services, token: string): Promise<string> {
  const today = studioDate(clock());
  const content = await callJson(
    db,
    'read_calendar_feed',
    {
      p_hash: hashToken(token),
      p_from: dayBounds(addDays(today, -DAYS.before)).start,
      p_to: dayBounds(addDays(today, DAYS.after)).end,
    },
    (json: FeedContent) => json,
  );
  if (content === null) throw new Refusal('not_found', 'There is no calendar at this address.');
  return writeFeed(content, business().name);
}

type Feed = { readonly id: string; readonly tokenHash: string };

async function readOrMake(services: Services, tx: Transaction, { studioId, actor, now }: Opening): Promise<Feed> {
  const id = randomUUID();
  const [feed] = await callRows(tx, 'open_calendar_feed', {
    p_id: id,
    p_studio: studioId,
    p_hash: hashToken(deriveToken(services, id)),
    p_actor: actor,
    p_now: now,
  });
  if (!feed?.id || !feed.token_hash) throw new Refusal('not_found', 'Studio not found');
  return { id: feed.id, tokenHash: feed.token_hash };
}

const isCurrent = (services: Services, { id, tokenHash }: Feed): boolean =>
  hashToken(deriveToken(services, id)) === tokenHash;
/** Derives the token from the server's keys, so that the address can be shown again although only its hash is stored. */
const deriveToken = ({ links }: Services, id: string): string => links.sign('calendar-feed', id, NEVER);
const hashToken = (token: string): string => createHash('sha256').update(token).digest('hex');
const getAddress = (services: Services, id: string): string =>
  `${services.siteUrl}/functions/v1/calendar-feed?token=${deriveToken(services, id)}`;
