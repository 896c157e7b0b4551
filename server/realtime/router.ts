import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { readBytes } from '#server/http/bodies.ts';
import type { Env } from '#server/http/caller.ts';
import type { RealtimeContext } from './channels/context.ts';
import type { BroadcastBody } from './core/frames.ts';
import { createRate, type Rate } from './core/rate.ts';
import { isFault, type Member, readMember } from './core/token.ts';

const TOPIC = z.string().min(1).max(255);
const batchSchema = z.object({
  messages: z
    .array(
      z.object({
        topic: TOPIC,
        event: z.string().min(1).max(255),
        payload: z.record(z.string(), z.unknown()),
        private: z.boolean().default(false),
        id: z.string().max(255).optional(),
      }),
    )
    .max(100),
});

const WINDOW_SECONDS = 60;

/** Creates the router of `/realtime/v1`: broadcasts over HTTP. The sockets are served beside it. */
export function createRealtimeRouter(context: RealtimeContext): Hono<Env> {
  const router = new Hono<Env>();
  const rates = new Map<string, Rate>();
  router.post('/api/broadcast', (c) => broadcastBatch(context, rates, c));
  router.post('/api/broadcast/:topic/events/:event', (c) => broadcastOne(context, rates, c));
  router.get('/api/ping', (c) => c.json({ message: 'Success' }));
  router.get('/websocket', (c) => c.json({ error: 'Connect with a WebSocket' }, 426, { upgrade: 'websocket' }));
  router.all('*', (c) => c.json({ message: 'Not found' }, 404));
  return router;
}

async function broadcastBatch(context: RealtimeContext, rates: Map<string, Rate>, c: Context<Env>): Promise<Response> {
  const member = await callerOf(context, c);
  if (!member) return c.json({ message: 'Unauthorized' }, 401);
  const body = await readBytes(c.req.raw, BODY_MAX);
  const parsed = batchSchema.safeParse(parseJson(body));
  if (!parsed.success) return c.json({ errors: { messages: [{ payload: ["can't be blank"] }] } }, 422);
  const { messages } = parsed.data;
  if (!takeRate(context, rates, member, messages.length)) return c.json({ message: 'Too many requests' }, 429);
  const tooLarge = messages.some(
    ({ payload }) => Buffer.byteLength(JSON.stringify(payload)) > context.settings.payloadMax,
  );
  if (tooLarge) return c.json({ errors: { messages: [{ payload: ['Payload size exceeds tenant limit'] }] } }, 422);
  for (const { topic, event, payload, private: isPrivate, id } of messages) {
    // As in the service this API mirrors, a private message without the right to send it is left out without an error.
    if (isPrivate && !(await context.authorization.mayWrite(member, topic, 'broadcast'))) continue;
    const meta = id === undefined ? null : { id };
    context.topics.broadcast({ name: topic, isPrivate }, { event, body: { json: JSON.stringify(payload) }, meta });
  }
  return c.body(null, 202);
}

async function broadcastOne(context: RealtimeContext, rates: Map<string, Rate>, c: Context<Env>): Promise<Response> {
  const member = await callerOf(context, c);
  if (!member) return c.json({ message: 'Unauthorized' }, 401);
  const topic = TOPIC.safeParse(c.req.param('topic'));
  const event = c.req.param('event') ?? '';
  const isPrivate = c.req.query('private') === 'true';
  const persist = persistOf(c);
  if (!topic.success) return c.json({ errors: { topic: ["can't be blank"] } }, 422);
  if (persist !== null && !isPrivate)
    return c.json({ errors: { persist: ['can only be used on private channels'] } }, 422);
  const body = await readBody(c);
  if (body === 'unsupported')
    return c.json({ error: 'Unsupported Media Type. Use application/json or application/octet-stream' }, 415);
  if (body === null) return c.json({ errors: { payload: ["can't be blank"] } }, 422);
  if (sizeOf(body) > context.settings.payloadMax)
    return c.json({ errors: { payload: ['Payload size exceeds tenant limit'] } }, 422);
  if (!takeRate(context, rates, member, 1)) return c.json({ message: 'Too many requests' }, 429);
  const extensions = ['broadcast', ...(persist === null ? [] : ['persistence'])] as const;
  for (const extension of isPrivate ? extensions : [])
    if (
      !(await context.authorization.mayWrite(
        member,
        topic.data,
        extension === 'broadcast' ? 'broadcast' : 'persistence',
      ))
    )
      return c.json({ message: 'Unauthorized' }, 403);
  context.topics.broadcast({ name: topic.data, isPrivate }, { event, body, meta: null });
  if (persist !== null) await context.messages.store(topic.data, { event, body, meta: null }, persist.seconds);
  return c.body(null, 202);
}

const BODY_MAX = 8 * 1024 * 1024;

async function callerOf(context: RealtimeContext, c: Context<Env>): Promise<Member | null> {
  const bearer = /^Bearer\s+(\S+)$/i.exec(c.req.header('authorization') ?? '')?.[1];
  const token = bearer ?? c.req.header('apikey');
  if (token === undefined) return null;
  const member = await readMember(context.verify, token, context.clock());
  if (isFault(member)) return null;
  const alive = member.sessionId === null || (await context.sessionAlive(member.sessionId));
  return alive ? member : null;
}

/** Counts the messages of a caller over HTTP like those of a socket. */
function takeRate(context: RealtimeContext, rates: Map<string, Rate>, member: Member, count: number): boolean {
  const { messagesPerSecond } = context.settings;
  if (rates.size > 10_000) rates.clear();
  const rate = rates.get(member.identity) ?? createRate(messagesPerSecond * WINDOW_SECONDS, WINDOW_SECONDS * 1000);
  rates.set(member.identity, rate);
  const now = context.clock().getTime();
  for (let at = 0; at < count; at += 1) if (!rate.take(now)) return false;
  return true;
}

function persistOf(c: Context<Env>): { seconds: number | null } | null {
  if (c.req.query('persist') === 'true') return { seconds: null };
  const ttl = Number(c.req.query('persist[ttl]'));
  return Number.isFinite(ttl) && ttl > 0 ? { seconds: ttl } : null;
}

async function readBody(c: Context<Env>): Promise<BroadcastBody | 'unsupported' | null> {
  const type = c.req.header('content-type')?.split(';', 1)[0]?.trim().toLowerCase() ?? 'application/json';
  if (type !== 'application/json' && type !== 'application/octet-stream') return 'unsupported';
  const bytes = await readBytes(c.req.raw, BODY_MAX);
  if (type === 'application/octet-stream') return { bytes };
  const value = parseJson(bytes);
  return value !== null && typeof value === 'object' ? { json: bytes.toString('utf8') } : null;
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return null;
  }
}

const sizeOf = (body: BroadcastBody): number =>
  'bytes' in body ? body.bytes.byteLength : Buffer.byteLength(body.json);
