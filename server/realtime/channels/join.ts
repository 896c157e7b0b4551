import type { RealtimeContext } from './context.ts';
import type { ChangeEvent, Rights } from '../core/ports.ts';
import { encodeBroadcast, type Push } from '../core/frames.ts';
import { type JoinRequest, readJoinRequest } from '../core/join-request.ts';
import { joinRefusalOfToken, joinRefusals } from '../core/refusals.ts';
import { isFault, type Member, readMember } from '../core/token.ts';
import type { TopicKey } from '../topics/topics.ts';
import { type Channel, type Connection, openChannel, push, pushSystem, reply } from './channel.ts';
import { watchToken } from './token-watch.ts';

/** Joins a channel and answers the client. Throws `JoinRefused`; nothing remains of a refused join. */
export async function joinChannel(
  context: RealtimeContext,
  connection: Connection,
  frame: Pick<Push, 'joinRef' | 'ref' | 'topic' | 'payload'>,
): Promise<Channel> {
  const request = readJoinRequest(frame.payload);
  const topic = readTopic(context, frame.topic, request);
  const member = await identify(context, connection, request);
  const rights = topic.isPrivate ? await admit(context, member, topic, request) : null;
  const replayed = await readReplay(context, topic, request);
  const channel = openChannel(context, connection, { topic, joinRef: frame.joinRef, request, member, rights });
  const changes = subscribeToChanges(context, channel);
  const problem = request.changesOptions.wait && changes ? await changesReady(changes.ready, request) : null;
  if (problem !== null) {
    changes?.end();
    throw joinRefusals.changesRefused(problem);
  }
  const ids = new Set(replayed.map(({ id }) => id));
  channel.subscriber = {
    serializer: connection.serializer,
    readsBroadcast: channel.rights.readBroadcast,
    readsPresence: channel.rights.readPresence && request.presence.enabled,
    replayed: ids.size === 0 ? null : ids,
    send: (data) => connection.send(data),
  };
  reply(connection, frame, {
    status: 'ok',
    response: { postgres_changes: bindingsWithIds(request, changes?.ids ?? []) },
  });
  context.topics.join(topic, channel.subscriber);
  for (const { broadcast } of replayed) {
    const data = encodeBroadcast(connection.serializer, frame.topic, broadcast, frame.joinRef);
    if (data !== null) connection.send(data);
  }
  if (channel.subscriber.readsPresence) push(channel, 'presence_state', await context.topics.presenceState(topic));
  if (request.broadcast.replicationReady)
    pushSystem(channel, { extension: 'system', status: 'ok', message: 'Replication connection established' });
  void changes?.ready.then((error) => reportChanges(channel, error));
  watchToken(context, channel);
  return channel;
}

function readTopic(context: RealtimeContext, topic: string, request: JoinRequest): TopicKey {
  const name = topic.startsWith('realtime:') ? topic.slice('realtime:'.length) : '';
  if (name === '') throw joinRefusals.topicMissing();
  if (context.settings.privateOnly && !request.isPrivate) throw joinRefusals.privateOnly();
  if (request.replay !== null && !request.isPrivate) throw joinRefusals.replayPublic();
  if (request.replay === 'invalid') throw joinRefusals.replayInvalid();
  return { name, isPrivate: request.isPrivate };
}

/** Verifies the caller's own token; without one the key of the socket counts. */
async function identify(context: RealtimeContext, connection: Connection, request: JoinRequest): Promise<Member> {
  const { accessToken } = request;
  if (accessToken === null || accessToken === connection.keyHolder.token) return connection.keyHolder;
  const member = await readMember(context.verify, accessToken, context.clock());
  if (isFault(member)) throw joinRefusalOfToken(member);
  if (member.sessionId !== null && !(await context.sessionAlive(member.sessionId)))
    throw joinRefusalOfToken({ code: 'InvalidJWTToken', message: 'Token has expired 0 seconds ago' });
  return member;
}

/** A private channel needs the right to read broadcasts or presence. */
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
    context.log.error({ err: error, topic: topic.name }, 'stored messages could not be read');
    throw joinRefusals.replayFailed();
  });
}

function subscribeToChanges(context: RealtimeContext, channel: Channel): Channel['changes'] {
  const { changes: bindings, changesOptions } = channel.request;
  if (bindings.length === 0) return null;
  const onChange = ({ ids, data }: ChangeEvent): void => {
    if (!channel.ended) push(channel, 'postgres_changes', `{"ids":${JSON.stringify(ids)},"data":${data}}`);
  };
  channel.changes = context.changes.subscribe({
    member: channel.member,
    bindings,
    since: changesOptions.since,
    onChange,
  });
  return channel.changes;
}

async function changesReady(ready: Promise<string | null>, { changesOptions }: JoinRequest): Promise<string | null> {
  const late = Promise.withResolvers<never>();
  const { timeout } = changesOptions;
  const timer = setTimeout(() => late.reject(joinRefusals.changesTimeout(timeout)), timeout);
  try {
    return await Promise.race([ready, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** The bindings of the reply: as sent, each with its id. The client compares them by position. */
const bindingsWithIds = ({ changes }: JoinRequest, ids: readonly number[]): readonly Record<string, unknown>[] =>
  changes.map((binding, at) => ({ ...binding, id: ids[at] ?? at + 1 }));

function reportChanges(channel: Channel, error: string | null): void {
  if (channel.ended) return;
  const outcome =
    error === null
      ? { status: 'ok' as const, message: 'Subscribed to PostgreSQL' }
      : { status: 'error' as const, message: error };
  pushSystem(channel, { extension: 'postgres_changes', ...outcome });
}
