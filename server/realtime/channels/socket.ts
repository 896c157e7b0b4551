import { JsonRefused } from '#server/http/bodies/json.ts';
import { getSender } from '#server/http/bodies/json-sender.ts';
import type { RealtimeContext } from './context.ts';
import { type ClientFrame, type Frame, GUEST_JSON, MEMBER_JSON, readFrame } from '../core/frames.ts';
import { createAverageRate, createRate, type Rate } from '../core/rate.ts';
import { JoinRefused, joinRefusals, systemErrors } from '../core/refusals.ts';
import type { Member } from '../core/token.ts';
import { type Channel, type Connection, endChannel, failChannel, pushSystem, reply } from './channel.ts';
import { joinChannel } from './join.ts';
import { handlePush } from './pushes.ts';
import { checkChannel, checkSession } from './token-watch.ts';

/** The WebSocket that carries a socket. */
export type Wire = {
  send(data: string | Uint8Array): void;
  close(code: number, reason: string): void;
  /** Closes the connection and stops reading from it. */
  refuse(code: number, reason: string): void;
  /** The number of bytes that have not been sent yet. */
  unsent(): number;
};

/** One connected client and its channels. */
export type Socket = {
  readonly connection: Connection;
  /** Handles one message of the client. */
  receive(frame: Frame): void;
  /** Refuses a message while it arrives if it is larger than its sender may send. `bytes`: the bytes of the message so far. */
  arriving(bytes: number): void;
  /** Ends all channels, because the connection is gone. */
  end(): void;
  /** Notifies every channel that the server stops, and closes the connection. */
  dismiss(): void;
  /** Ends the channels whose session has ended and those that may no longer read. `concerns`: selects the members to check. */
  checkChannels(concerns: (member: Member) => boolean): Promise<void>;
  /** Makes every channel join again, because messages may be missing. */
  rejoin(message: string): void;
  /** Closes a connection that has been silent for a minute, or that has no channel and was not used for ten minutes. */
  sweep(now: number): void;
  channels(): number;
};

/** Maximum time without a message from a client. Clients send a heartbeat every 25 s. */
const SILENCE_MAX_MS = 60_000;
const IDLE_MAX_MS = 10 * 60_000;
/** Maximum number of messages of one topic that may wait for an earlier one. */
const WAITING_MAX = 200;
/** The largest frame of a socket without a signed-in channel, and the most bytes that such a socket may send in a minute. */
const GUEST_FRAME_MAX = 64 * 1024;
const GUEST_BYTES_PER_MINUTE = 1024 * 1024;

type State = {
  readonly context: RealtimeContext;
  readonly wire: Wire;
  readonly connection: Connection;
  readonly channels: Map<string, Channel>;
  /** One chain of work per topic, so that the messages of a topic are handled in order. */
  readonly work: Map<string, { tail: Promise<void>; waiting: number }>;
  readonly joins: Rate;
  readonly messages: Rate;
  /** The bytes sent while the socket has no signed-in channel. */
  readonly guestBytes: Rate;
  readonly address: string;
  heardAt: number;
  usedAt: number;
  ended: boolean;
};

/** `address`: the IP address of the client. */
export function openSocket(
  context: RealtimeContext,
  wire: Wire,
  { serializer, keyHolder }: Pick<Connection, 'serializer' | 'keyHolder'>,
  address: string,
): Socket {
  const now = context.clock().getTime();
  const { joinsPerSecond, messagesPerSecond } = context.settings;
  const state: State = {
    context,
    wire,
    connection: { serializer, keyHolder, send: (data) => sendOrClose(state, data) },
    channels: new Map(),
    work: new Map(),
    joins: createAverageRate(joinsPerSecond),
    messages: createAverageRate(messagesPerSecond),
    guestBytes: createRate(GUEST_BYTES_PER_MINUTE * context.bodies.perMinute.factor, 60_000),
    address,
    heardAt: now,
    usedAt: now,
    ended: false,
  };
  return {
    connection: state.connection,
    receive: (frame) => receive(state, frame),
    arriving: (bytes) => refuseLarge(state, bytes),
    end: () => endAll(state, null),
    dismiss: () => dismiss(state),
    async checkChannels(concerns) {
      const channels = [...state.channels.values()].filter(({ member }) => concerns(member));
      await Promise.all(channels.map((channel) => checkChannel(context, channel)));
    },
    rejoin(message) {
      for (const channel of state.channels.values()) failChannel(context, channel, message, 'phx_error');
      state.channels.clear();
    },
    sweep: (at) => sweep(state, at),
    channels: () => state.channels.size,
  };
}

/** Sends data, or disconnects a client that reads too slowly, so that its unsent data cannot fill the memory. Such a client reconnects. */
function sendOrClose(state: State, data: string | Uint8Array): void {
  if (state.ended) return;
  if (state.wire.unsent() > state.context.settings.unsentMax) {
    endAll(state, null);
    state.wire.close(1013, 'Too slow');
    return;
  }
  state.wire.send(data);
}

/**
 * The allowance for the headers of frames, which a frame's size does not include. A fragmented message has a header for each fragment, so
 * it may have only a few.
 */
const HEADS_MAX = 1024;

function refuseLarge(state: State, bytes: number): void {
  if (state.ended || bytes <= GUEST_FRAME_MAX + HEADS_MAX || signedInMember(state) !== null) return;
  refuseFrames(state, TOO_LARGE, 'Message too large');
}

function receive(state: State, received: Frame): void {
  if (state.ended) return;
  const now = state.context.clock().getTime();
  const frame = admitFrame(state, received, now);
  if (frame === null) return;
  state.heardAt = now;
  if (frame.topic === 'phoenix') return answerHeartbeat(state, frame);
  if (!state.messages.take(now) || !takeOfAccount(state, frame, now)) return refuseMessage(state, frame);
  const work = state.work.get(frame.topic) ?? { tail: Promise.resolve(), waiting: 0 };
  if (work.waiting >= WAITING_MAX) return refuseMessage(state, frame);
  work.waiting += 1;
  work.tail = work.tail
    .then(() => handle(state, frame))
    .catch((error: unknown) => handleFailure(state, frame, error))
    .finally(() => {
      work.waiting -= 1;
      if (work.waiting === 0) state.work.delete(frame.topic);
    });
  state.work.set(frame.topic, work);
}

/**
 * Reads a frame within the limits of its sender. Returns null for a frame that is dropped. Closes a socket that sends too much, because
 * refusing its frames would require reading each of them.
 */
function admitFrame(state: State, received: Frame, now: number): ClientFrame | null {
  const { context, connection } = state;
  const holder = signedInMember(state);
  const size = received.bytes.length;
  if (holder === null && size > GUEST_FRAME_MAX) return refuseFrames(state, TOO_LARGE, 'Message too large');
  const sender = getSender((holder ?? connection.keyHolder).claims, state.address);
  const admitted = holder !== null || state.guestBytes.take(now, size);
  if (!admitted || context.bodies.perMinute.take(sender, size) !== null)
    return refuseFrames(state, POLICY, 'Too much data in a short time');
  try {
    return readFrame(connection.serializer, received, holder === null ? GUEST_JSON : MEMBER_JSON);
  } catch (error) {
    if (error instanceof JsonRefused) return refuseFrames(state, POLICY, error.message);
    throw error;
  }
}

/** Close codes (RFC 6455, section 7.4.1). */
const [POLICY, TOO_LARGE] = [1008, 1009] as const;

function refuseFrames(state: State, code: number, reason: string): null {
  state.context.counts.refused += 1;
  endAll(state, 'phx_close');
  state.wire.refuse(code, reason);
  return null;
}

/** Returns the member who is signed in on this socket, by a channel or by the key of the connection; null for guests. */
function signedInMember({ channels, connection: { keyHolder } }: State): Member | null {
  if (keyHolder.role !== 'anon') return keyHolder;
  for (const { member, ended } of channels.values()) if (!ended && member.role !== 'anon') return member;
  return null;
}

function takeOfAccount({ context, channels }: State, { topic }: ClientFrame, now: number): boolean {
  const account = channels.get(topic)?.account ?? null;
  return account === null || context.accounts.getRate(account, now).take(now);
}

function answerHeartbeat(state: State, frame: ClientFrame): void {
  if (frame.event !== 'heartbeat') return;
  reply(state.connection, frame, { status: 'ok', response: {} });
  for (const channel of state.channels.values())
    void checkSession(state.context, channel).catch((error: unknown) => {
      state.context.log.warn(
        { err: error },
        'the session of a channel could not be checked; the next heartbeat checks it again',
      );
    });
}

/** Ends a channel that sends too many messages. The client rejoins later. */
function refuseMessage(state: State, frame: ClientFrame): void {
  const channel = state.channels.get(frame.topic);
  if (!channel) return;
  state.channels.delete(frame.topic);
  failChannel(state.context, channel, systemErrors.tooManyMessages);
}

async function handle(state: State, frame: ClientFrame): Promise<void> {
  if (state.ended) return;
  if (!frame.topic.startsWith(TOPIC_PREFIX)) return answerUnmatched(state, frame);
  const channel = liveChannel(state, frame.topic);
  if (frame.event === 'phx_join' && !('broadcast' in frame)) return join(state, frame, channel);
  if (frame.event === 'phx_leave') return leave(state, frame, channel);
  if (!channel) return answerUnmatched(state, frame);
  state.usedAt = state.heardAt;
  await handlePush(state.context, channel, frame);
}

/** The prefix of all topics; a topic without it does not exist. */
const TOPIC_PREFIX = 'realtime:';

const answerUnmatched = ({ connection }: State, frame: ClientFrame): void =>
  reply(connection, frame, { status: 'error', response: { reason: 'unmatched topic' } });

/** Returns the channel of a topic. Forgets a channel that the server has ended. */
function liveChannel(state: State, topic: string): Channel | undefined {
  const channel = state.channels.get(topic);
  if (!channel?.ended) return channel;
  state.channels.delete(topic);
  return undefined;
}

async function join(
  state: State,
  frame: ClientFrame & { payload: unknown },
  before: Channel | undefined,
): Promise<void> {
  const { context, connection, channels } = state;
  if (before) {
    channels.delete(frame.topic);
    endChannel(context, before, 'phx_close');
  }
  if (!state.joins.take(context.clock().getTime())) throw joinRefusals.tooManyJoins();
  if (channels.size >= context.settings.channelsPerSocket) throw joinRefusals.tooManyChannels();
  const channel = await joinChannel(context, connection, frame);
  if (state.ended) return endChannel(context, channel, null);
  channels.set(frame.topic, channel);
  state.usedAt = state.heardAt;
  if (context.sessionEnds.concerns(channel.member)) await checkChannel(context, channel);
}

function leave(state: State, frame: ClientFrame, channel: Channel | undefined): void {
  const outdated = channel && frame.joinRef !== null && frame.joinRef !== channel.joinRef;
  if (outdated) return;
  reply(state.connection, frame, { status: 'ok', response: {} });
  if (!channel) return;
  state.channels.delete(frame.topic);
  endChannel(state.context, channel, 'phx_close');
}

function handleFailure(state: State, frame: ClientFrame, error: unknown): void {
  const refusal = error instanceof JoinRefused ? error : joinRefusals.unknown();
  if (!(error instanceof JoinRefused))
    state.context.log.error({ err: error, event: frame.event }, 'a realtime message failed; the client got an error');
  state.context.counts.refused += 1;
  const { topic, joinRef, ref } = frame;
  reply(state.connection, { topic, joinRef, ref }, { status: 'error', response: { reason: refusal.message } });
  if (!refusal.closes) return;
  endAll(state, null);
  state.wire.close(1001, '');
}

function endAll(state: State, event: 'phx_close' | null): void {
  for (const channel of state.channels.values()) endChannel(state.context, channel, event);
  state.channels.clear();
  state.ended = true;
}

function dismiss(state: State): void {
  for (const channel of state.channels.values())
    if (!channel.ended) pushSystem(channel, { extension: 'system', status: 'ok', message: systemErrors.disconnect });
  endAll(state, null);
  state.wire.close(1012, '');
}

function sweep(state: State, now: number): void {
  if (state.ended) return;
  const idle = state.channels.size === 0 && now - state.usedAt > IDLE_MAX_MS;
  if (!idle && now - state.heardAt <= SILENCE_MAX_MS) return;
  endAll(state, null);
  state.wire.close(1000, '');
}
