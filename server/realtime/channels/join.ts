import type { RealtimeContext } from './context.ts';
import { getAccount } from '../core/accounts.ts';
import type { ChangesReady, Rights } from '../core/ports.ts';
import { encodeReplayed, encodeText, type Push } from '../core/frames.ts';
import { type JoinRequest, readJoinRequest } from '../core/join-request.ts';
import { joinRefusalOfToken, joinRefusals, systemErrors } from '../core/refusals.ts';
import { isFault, type Member, readMember } from '../core/token.ts';
import type { TopicKey } from '../topics/messages.ts';
import { type Channel, type Connection, failChannel, openChannel, push, pushSystem, reply } from './channel.ts';
import { watchToken } from './token-watch.ts';

/** Joins a channel and replies to the client. Throws `JoinRefused`. A refused join leaves nothing behind. */
export async function joinChannel(
  context: RealtimeContext,
  connection: Connection,
  frame: Pick<Push, 'joinRef' | 'ref' | 'topic' | 'payload'>,
): Promise<Channel> {
  const request = readJoinRequest(frame.payload);
  const topic = readTopic(context, frame.topic, request);
  const member = await identify(context, connection, request);
  const account = getAccount(member);
  if (!context.accounts.enter(account, connection)) throw joinRefusals.tooManySockets();
  try {
    return await enterTopic(context, connection, frame, { request, topic, member });
  } catch (error) {
    context.accounts.leave(account, connection);
    throw error;
  }
}

async function enterTopic(
  context: RealtimeContext,
  connection: Connection,
  frame: Pick<Push, 'joinRef' | 'ref' | 'topic' | 'payload'>,
  { request, topic, member }: { request: JoinRequest; topic: TopicKey; member: Member },
): Promise<Channel> {
  const rights = topic.isPrivate ? await admit(context, member, topic, request) : null;
  const replayed = rights?.readBroadcast ? await readReplay(context, topic, request) : [];
  const channel = openChannel(context, connection, { topic, joinRef: frame.joinRef, request, member, rights });
  const changes = await subscribeToChanges(context, channel);
  const ids = new Set(replayed.map(({ id }) => id));
  channel.subscriber = {
    serializer: connection.serializer,
    readsBroadcast: channel.rights.readBroadcast,
    readsPresence: false,
    replayed: ids.size === 0 ? null : ids,
    send: (data) => connection.send(data),
  };
  reply(connection, frame, {
    status: 'ok',
    response: { postgres_changes: bindingsWithIds(request, channel.changes?.ids ?? []) },
  });
  context.topics.join(topic, channel.subscriber);
  for (const { broadcast } of replayed) {
    const data = encodeReplayed(connection.serializer, frame.topic, broadcast, frame.joinRef);
    if (data !== null) connection.send(data);
  }
  if (channel.rights.readPresence && request.presence.enabled) await sendPresence(context, channel);
  if (channel.ended) return channel;
  if (request.broadcast.replicationReady)
    pushSystem(channel, { extension: 'system', status: 'ok', message: 'Replication connection established' });
  if (changes) reportChanges(channel, changes.ready);
  changes?.release();
  watchToken(context, channel);
  return channel;
}

/**
 * Sends the state and, from then on, every change of it. The client ignores changes until it has the state, so a channel that could not
 * read it must join again.
 */
async function sendPresence(context: RealtimeContext, channel: Channel): Promise<void> {
  try {
    await context.topics.loadPresence(channel.topic);
    if (channel.ended) return;
    push(channel, 'presence_state', context.topics.presenceState(channel.topic));
    if (channel.subscriber) channel.subscriber.readsPresence = true;
  } catch (error) {
    context.log.error(
      { err: error, topic: channel.topic.name },
      'the presence of a topic could not be read; the client joins again',
    );
    failChannel(context, channel, systemErrors.databaseDown, 'phx_error');
  }
}

function readTopic(context: RealtimeContext, topic: string, request: JoinRequest): TopicKey {
  const name = topic.startsWith('realtime:') ? topic.slice('realtime:'.length) : '';
  // PostgreSQL cannot store a NUL.
  if (name === '' || name.includes('\0')) throw joinRefusals.topicMissing();
  if (context.settings.privateOnly && !request.isPrivate) throw joinRefusals.privateOnly();
  if (request.replay !== null && !request.isPrivate) throw joinRefusals.replayPublic();
  if (request.replay === 'invalid') throw joinRefusals.replayInvalid();
  return { name, isPrivate: request.isPrivate };
}

/** Verifies the caller's own token, or uses the key of the socket if there is none. */
async function identify(context: RealtimeContext, connection: Connection, request: JoinRequest): Promise<Member> {
  const { accessToken } = request;
  if (accessToken === null || accessToken === connection.keyHolder.token) return connection.keyHolder;
  const member = await readMember(context.tokens, accessToken, context.clock());
  if (isFault(member)) throw joinRefusalOfToken(member);
  if (member.sessionId !== null && !(await context.sessionAlive(member.sessionId)))
    throw joinRefusalOfToken({ code: 'InvalidJWTToken', message: 'Token has expired 0 seconds ago' });
  return member;
}

/** Checks that the caller may read broadcasts or presence, as a private channel requires. */
async function admit(context: RealtimeContext, member: Member, topic: TopicKey, request: JoinRequest): Promise<Rights> {
  const rights = await context.authorization.rights(member, topic.name, { presence: request.presence.enabled });
  if (!rights.readBroadcast && !rights.readPresence) throw joinRefusals.noReadRight(topic.name);
  return rights;
}

async function readReplay(
  context: RealtimeContext,
  topic: TopicKey,
  { replay }: JoinRequest,
): ReturnType<RealtimeContext['messages']['replay']> {
  if (replay === null || replay === 'invalid') return [];
  return context.messages.replay(topic.name, replay.since, replay.limit).catch((error: unknown) => {
    context.log.error({ err: error, topic: topic.name }, 'stored messages could not be read; the join was refused');
    throw joinRefusals.replayFailed();
  });
}

type StartedChanges = { readonly ready: ChangesReady; release(): void };

/**
 * Subscribes to table changes and waits until every later change is captured, so that a select after the reply misses nothing. Holds back
 * the events until `release`, because the client learns the ids of its bindings only from the reply.
 */
async function subscribeToChanges(context: RealtimeContext, channel: Channel): Promise<StartedChanges | null> {
  const { changes: bindings, changesOptions } = channel.request;
  if (bindings.length === 0) return null;
  const { bindingsPerChannel } = context.settings;
  if (bindings.length > bindingsPerChannel) {
    const error = `Too many table subscriptions on this channel. Maximum ${bindingsPerChannel}`;
    if (changesOptions.wait) throw joinRefusals.changesRefused(error);
    return { ready: { error, warning: null }, release: () => undefined };
  }
  let kept: (() => void)[] | null = [];
  const run = (send: () => void): void => void (kept ? kept.push(send) : send());
  const changes = context.changes.subscribe({
    member: channel.member,
    bindings,
    since: changesOptions.since,
    onChange: ({ ids, data }) =>
      run(() => {
        if (channel.ended) return;
        const payload = `{"ids":${JSON.stringify(ids)},"data":${data}}`;
        const to = { joinRef: null, ref: null, topic: `realtime:${channel.topic.name}`, event: 'postgres_changes' };
        channel.connection.send(encodeText(channel.connection.serializer, { ...to, payload }));
      }),
    onLost: (message) => run(() => failChannel(context, channel, message, 'phx_error')),
  });
  channel.changes = changes;
  try {
    const ready = await inTime(changes.ready, changesOptions.wait ? changesOptions.timeout : READY_MAX_MS);
    if (changesOptions.wait && ready.error !== null) throw joinRefusals.changesRefused(ready.error);
    return {
      ready,
      release() {
        for (const send of kept ?? []) send();
        kept = null;
      },
    };
  } catch (error) {
    changes.end();
    throw error;
  }
}

/** Maximum wait. It is shorter than the ten seconds after which a client gives up on joining. */
const READY_MAX_MS = 9_000;

async function inTime<T>(ready: Promise<T>, milliseconds: number): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(joinRefusals.changesTimeout(milliseconds)), milliseconds);
  try {
    return await Promise.race([ready, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Returns the bindings for the reply: as sent, each with its id. The client compares them by position. */
const bindingsWithIds = ({ changes }: JoinRequest, ids: readonly number[]): readonly Record<string, unknown>[] =>
  changes.map((binding, index) => ({ ...binding, id: ids[index] ?? index + 1 }));

function reportChanges(channel: Channel, { error, warning }: ChangesReady): void {
  const tell = (status: 'ok' | 'error', message: string): void =>
    pushSystem(channel, { extension: 'postgres_changes', status, message });
  if (warning !== null) tell('error', warning);
  if (error === null) tell('ok', 'Subscribed to PostgreSQL');
  else tell('error', error);
}
