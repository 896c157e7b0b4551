import type { Context } from 'hono';
import type { Env } from '#server/http/caller.ts';
import type { RealtimeContext } from '../channels/context.ts';
import { type BroadcastBody, sizeOfBody } from '../core/frames.ts';
import { maySendTo } from '../core/options.ts';
import type { Member } from '../core/token.ts';
import { type Call, readJson } from './call.ts';

/**
 * `POST /api/broadcast/:topic/events/:event`: sends the body, JSON or bytes, as one message. Answers 202, 400, 403, 415, 422 or 429. Query:
 * `private=true`, `persist=true` or `persist[ttl]=seconds`.
 */
export async function broadcastSingle(context: RealtimeContext, c: Context<Env>, call: Call): Promise<Response> {
  const { settings, authorization, topics, messages } = context;
  const topic = { name: c.req.param('topic') ?? '', isPrivate: c.req.query('private') === 'true' };
  const event = c.req.param('event') ?? '';
  const persist = getPersistence(c);
  if (persist !== null && !topic.isPrivate)
    return c.json({ errors: { persist: ['can only be used on private channels'] } }, 422);
  const type = getMediaType(c);
  if (type === null)
    return c.json({ error: 'Unsupported Media Type. Use application/json or application/octet-stream' }, 415);
  const body = toBody(await call.readBody(), type, call.member);
  if (body === 'broken') return c.json({ errors: { detail: 'Bad Request' } }, 400);
  if (body === null) return c.json({ errors: { payload: ["can't be blank"] } }, 422);
  if (sizeOfBody(body) > settings.payloadMax)
    return c.json({ errors: { payload: ['Payload size exceeds tenant limit'] } }, 422);
  if (!call.rate.take(context.clock().getTime())) return c.json({ message: 'Too many requests' }, 429);
  const allowed = topic.isPrivate
    ? await mayWrite(authorization, call.member, topic.name, persist !== null)
    : maySendTo(settings, call.member, topic.name);
  if (!allowed) return c.json({ message: 'Unauthorized' }, 403);
  topics.broadcast(topic, { event, body, meta: null });
  if (persist !== null) await messages.store(topic.name, { event, body, meta: null }, persist.seconds);
  return c.body(null, 202);
}

async function mayWrite(
  authorization: RealtimeContext['authorization'],
  member: Member,
  topic: string,
  persists: boolean,
): Promise<boolean> {
  if (!(await authorization.mayWrite(member, topic, 'broadcast'))) return false;
  return !persists || authorization.mayWrite(member, topic, 'persistence');
}

function getPersistence(c: Context<Env>): { seconds: number | null } | null {
  if (c.req.query('persist') === 'true') return { seconds: null };
  const ttl = Number(c.req.query('persist[ttl]'));
  return Number.isFinite(ttl) && ttl > 0 ? { seconds: ttl } : null;
}

type MediaType = 'application/json' | 'application/octet-stream';

/** Returns the media type of the body, which is JSON by default. */
function getMediaType(c: Context<Env>): MediaType | null {
  const type = c.req.header('content-type')?.split(';', 1)[0]?.trim().toLowerCase() ?? 'application/json';
  return type === 'application/json' || type === 'application/octet-stream' ? type : null;
}

function toBody(bytes: Buffer, type: MediaType, member: Member): BroadcastBody | 'broken' | null {
  if (type === 'application/octet-stream') return { bytes };
  if (bytes.length === 0) return null;
  const value = readJson(bytes, member);
  if (value === undefined) return 'broken';
  return value !== null && typeof value === 'object' ? { json: JSON.stringify(value) } : null;
}
