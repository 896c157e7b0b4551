import { randomBytes } from 'node:crypto';
import type { RealtimeContext } from './context.ts';
import type { Extension } from '../core/ports.ts';
import { type Broadcast, type BroadcastPush, type ClientFrame, type Push, sizeOfBody } from '../core/frames.ts';
import { isObject } from '../core/join-request.ts';
import { maySendTo } from '../core/options.ts';
import { systemErrors } from '../core/refusals.ts';
import { type Channel, failChannel, type Reply, reply } from './channel.ts';
import { renewToken } from './token-watch.ts';

/** Handles messages that a client sends to a channel that it has joined. */
export async function handlePush(context: RealtimeContext, channel: Channel, frame: ClientFrame): Promise<void> {
  if ('broadcast' in frame) return handleBroadcast(context, channel, frame, frame.broadcast);
  if (frame.event === 'broadcast') {
    const broadcast = toBroadcast(frame.payload);
    return broadcast === null ? undefined : handleBroadcast(context, channel, frame, broadcast);
  }
  if (frame.event === 'presence') return handlePresence(context, channel, frame);
  if (frame.event === 'access_token') return renewToken(context, channel, frame.payload);
  context.log.info({ event: frame.event.slice(0, 40) }, 'a client sent an unknown realtime event');
}

/** Returns a text broadcast, whose payload is relayed unchanged. Null if the payload is not an object, because clients cannot read it. */
function toBroadcast(payload: unknown): Broadcast | null {
  if (!isObject(payload) || payload instanceof Uint8Array) return null;
  const { event } = payload;
  return { event: typeof event === 'string' ? event : '', body: { whole: JSON.stringify(payload) }, meta: null };
}

type Target = Pick<Push | BroadcastPush, 'joinRef' | 'ref' | 'topic'>;

async function handleBroadcast(
  context: RealtimeContext,
  channel: Channel,
  target: Target,
  broadcast: Broadcast,
): Promise<void> {
  const { ack, self } = channel.request.broadcast;
  const answer = (outcome: Reply): void => {
    if (ack) reply(channel.connection, target, outcome);
  };
  if (sizeOfBody(broadcast.body) > context.settings.payloadMax)
    return answer({ status: 'error', response: { error: 'payload_size_exceeded' } });
  // Without the right to write there is no reply at all, even with `ack`.
  if (!(await mayWrite(context, channel, 'broadcast')) || channel.ended) return;
  const persist = readPersist(broadcast.meta?.['persist']);
  context.topics.broadcast(
    channel.topic,
    { ...broadcast, meta: null },
    self ? undefined : (channel.subscriber ?? undefined),
  );
  if (persist === null) return answer({ status: 'ok', response: {} });
  if (!channel.topic.isPrivate || !(await mayWrite(context, channel, 'persistence')))
    return answer({ status: 'error', response: { error: 'persist is not allowed on this channel' } });
  const id = await context.messages.store(channel.topic.name, broadcast, persist.seconds);
  answer({ status: 'ok', response: { id } });
}

/** Reads `persist` of a message: true, or `{ttl: seconds}`. Returns null if the message should not be stored. */
function readPersist(value: unknown): { seconds: number | null } | null {
  if (value === true) return { seconds: null };
  if (!isObject(value)) return null;
  const { ttl } = value;
  return { seconds: typeof ttl === 'number' && ttl > 0 ? ttl : null };
}

/** Whether the channel may write. The rights are looked up once per token, at the first message. */
async function mayWrite(context: RealtimeContext, channel: Channel, extension: Extension): Promise<boolean> {
  if (!channel.topic.isPrivate) return maySendTo(context.settings, channel.member, channel.topic.name);
  const cached = channel.writeRights.get(extension);
  if (cached !== undefined) return cached;
  const { member } = channel;
  const may = await context.authorization.mayWrite(member, channel.topic.name, extension);
  if (channel.member === member) channel.writeRights.set(extension, may);
  return may;
}

async function handlePresence(context: RealtimeContext, channel: Channel, frame: Push): Promise<void> {
  const answer = (status: Reply['status'], response: Reply['response'] = {}): void =>
    reply(channel.connection, frame, { status, response });
  if (!channel.presenceRate.take(context.clock().getTime()))
    return failChannel(context, channel, systemErrors.tooManyPresenceCalls);
  const { event, payload } = isObject(frame.payload) ? frame.payload : {};
  const call = typeof event === 'string' ? event.toLowerCase() : '';
  if (call === 'untrack') {
    untrack(context, channel);
    return answer('ok');
  }
  if (call !== 'track') return answer('error');
  if (!isObject(payload ?? {})) return answer('error', { reason: 'Presence track payload must be a map' });
  const text = JSON.stringify(payload ?? {});
  const { presenceMax, presenceKeysMax } = context.settings;
  if (Buffer.byteLength(text) > presenceMax) return failChannel(context, channel, systemErrors.presenceTooLarge);
  if (!channel.presence && context.topics.presenceKeys(channel.topic, channel.presenceKey) > presenceKeysMax)
    return answer('error', { reason: 'Too many presence keys on this channel' });
  if (!(await mayWrite(context, channel, 'presence'))) return answer('error');
  if (channel.ended) return;
  await enablePresence(context, channel);
  if (channel.ended) return;
  track(context, channel, text);
  answer('ok');
}

/** Switches presence on for the sender of a track. On a private channel the sender needs the right to read presence. */
async function enablePresence(context: RealtimeContext, channel: Channel): Promise<void> {
  const { subscriber, topic, member } = channel;
  if (!subscriber || subscriber.readsPresence) return;
  if (topic.isPrivate && !channel.rights.readPresence) {
    const rights = await context.authorization.rights(member, topic.name, { presence: true });
    if (channel.ended || channel.member !== member) return;
    channel.rights = rights;
  }
  if (!channel.rights.readPresence) return;
  await context.topics.loadPresence(topic);
  subscriber.readsPresence = true;
}

function track(context: RealtimeContext, channel: Channel, payload: string): void {
  const { presence: before } = channel;
  if (before?.payload === payload) return;
  const entry = { key: channel.presenceKey, ref: newRef(), previous: before?.ref ?? null, payload };
  channel.presence = entry;
  context.topics.changePresence(channel.topic, { joins: [entry], leaves: before ? [before] : [] });
}

function untrack(context: RealtimeContext, channel: Channel): void {
  const { presence: before } = channel;
  if (!before) return;
  channel.presence = null;
  context.topics.changePresence(channel.topic, { joins: [], leaves: [before] });
}

const newRef = (): string => randomBytes(12).toString('base64url');
