import { randomUUID } from 'node:crypto';
import type { RealtimeContext } from './context.ts';
import { getAccount } from '../core/accounts.ts';
import type { ChangeSubscription, Rights } from '../core/ports.ts';
import { encodeText, type Serializer } from '../core/frames.ts';
import type { JoinRequest } from '../core/join-request.ts';
import { createRate, type Rate } from '../core/rate.ts';
import type { Member } from '../core/token.ts';
import type { PresenceEntry } from '../topics/presence.ts';
import type { TopicKey } from '../topics/messages.ts';
import type { Subscriber } from '../topics/topics.ts';

/** The connection that a channel belongs to. */
export type Connection = {
  readonly serializer: Serializer;
  /** The caller that the key of the socket identifies. */
  readonly keyHolder: Member;
  send(data: string | Uint8Array): void;
};

/** One topic that a socket has joined. */
export type Channel = {
  readonly connection: Connection;
  readonly joinRef: string | null;
  readonly topic: TopicKey;
  readonly request: JoinRequest;
  member: Member;
  /** The account to whose limits the channel counts; null for a guest or the service. */
  account: string | null;
  rights: Rights;
  /** The write rights that were already looked up for this token. */
  readonly writeRights: Map<string, boolean>;
  subscriber: Subscriber | null;
  changes: ChangeSubscription | null;
  readonly presenceKey: string;
  presence: PresenceEntry | null;
  readonly presenceRate: Rate;
  expiry: NodeJS.Timeout | null;
  ended: boolean;
};

const PRESENCE_WINDOW_MS = 30_000;
const ALL_RIGHTS: Rights = { readBroadcast: true, readPresence: true };

export function openChannel(
  context: Pick<RealtimeContext, 'settings'>,
  connection: Connection,
  opening: { topic: TopicKey; joinRef: string | null; request: JoinRequest; member: Member; rights: Rights | null },
): Channel {
  const { topic, joinRef, request, member, rights } = opening;
  return {
    connection,
    joinRef,
    topic,
    request,
    member,
    account: getAccount(member),
    rights: rights ?? ALL_RIGHTS,
    writeRights: new Map(),
    subscriber: null,
    changes: null,
    presenceKey: request.presence.key === '' ? randomUUID() : request.presence.key,
    presence: null,
    presenceRate: createRate(context.settings.presenceCalls, PRESENCE_WINDOW_MS),
    expiry: null,
    ended: false,
  };
}

/** Sends an event to this channel alone. `payload`: JSON text of an object, because clients fail on any other payload. */
export function push(channel: Channel, event: string, payload: string): void {
  const { joinRef, topic, connection } = channel;
  const frame = { joinRef, ref: null, topic: `realtime:${topic.name}`, event, payload };
  connection.send(encodeText(connection.serializer, frame));
}

export type Reply = { readonly status: 'ok' | 'error'; readonly response: Readonly<Record<string, unknown>> };

/** Replies to a push of the client. A push without a ref gets no reply. */
export function reply(
  connection: Connection,
  to: { joinRef: string | null; ref: string | null; topic: string },
  { status, response }: Reply,
): void {
  if (to.ref === null) return;
  const frame = { ...to, event: 'phx_reply', payload: JSON.stringify({ status, response }) };
  connection.send(encodeText(connection.serializer, frame));
}

/** Sends the client a message about the channel itself or, for `postgres_changes`, about its table subscriptions. */
export function pushSystem(
  channel: Channel,
  message: { extension: 'system' | 'postgres_changes'; status: 'ok' | 'error'; message: string },
): void {
  push(channel, 'system', JSON.stringify({ ...message, channel: channel.topic.name }));
}

/**
 * Ends a channel: stops its subscriptions and notifies the client. After `phx_close` the client does not rejoin; after `phx_error` it
 * rejoins automatically. Null sends neither, because the client asked for the end or its connection is gone.
 */
export function endChannel(
  context: Pick<RealtimeContext, 'topics' | 'accounts'>,
  channel: Channel,
  event: 'phx_close' | 'phx_error' | null,
): void {
  if (channel.ended) return;
  channel.ended = true;
  if (channel.expiry) clearTimeout(channel.expiry);
  channel.changes?.end();
  context.accounts.leave(channel.account, channel.connection);
  if (channel.subscriber) context.topics.leave(channel.topic, channel.subscriber);
  if (channel.presence) context.topics.changePresence(channel.topic, { joins: [], leaves: [channel.presence] });
  channel.presence = null;
  if (event === null) return;
  const { joinRef, topic, connection } = channel;
  const frame = { joinRef, ref: joinRef, topic: `realtime:${topic.name}`, event, payload: '{}' };
  connection.send(encodeText(connection.serializer, frame));
}

/** Ends a channel and sends the client the error. */
export function failChannel(
  context: Pick<RealtimeContext, 'topics' | 'accounts'>,
  channel: Channel,
  message: string,
  event: 'phx_close' | 'phx_error' = 'phx_close',
): void {
  if (channel.ended) return;
  pushSystem(channel, { extension: 'system', status: 'error', message });
  endChannel(context, channel, event);
}
