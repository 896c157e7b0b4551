import { type Broadcast, encodeBroadcast, encodeText, type Serializer } from '../core/frames.ts';
import { applyPresence, type Presence, type PresenceDiff, type PresenceEntry, stateOf } from './presence.ts';

/** A topic of public or of private channels: two channels of one name that differ in this share nothing. */
export type TopicKey = { readonly name: string; readonly isPrivate: boolean };

/** A channel as a topic sees it. */
export type Subscriber = {
  readonly serializer: Serializer;
  readsBroadcast: boolean;
  readsPresence: boolean;
  /** Ids of stored messages that were sent to it again at its join. */
  readonly replayed: ReadonlySet<string> | null;
  send(data: string | Uint8Array): void;
};

/** What one process tells the others. */
export type BusMessage =
  | { readonly kind: 'broadcast'; readonly topic: TopicKey; readonly broadcast: Broadcast }
  | { readonly kind: 'presence'; readonly topic: TopicKey; readonly diff: PresenceDiff };

/** Carries messages between the processes of one installation. */
export type Bus = {
  publish(message: BusMessage): void;
  /** Presence entries of other processes on this topic. */
  presenceOf(topic: TopicKey): Promise<readonly PresenceEntry[]>;
};

export type Topics = {
  join(topic: TopicKey, subscriber: Subscriber): void;
  leave(topic: TopicKey, subscriber: Subscriber): void;
  /** Sends a broadcast to all processes. `except`: a subscriber here that does not get it. */
  broadcast(topic: TopicKey, broadcast: Broadcast, except?: Subscriber): void;
  /** Adds and removes presence entries, here and in all processes. */
  changePresence(topic: TopicKey, diff: PresenceDiff): void;
  /** The presence state as JSON text. */
  presenceState(topic: TopicKey): Promise<string>;
  /** Delivers a message of another process. */
  receive(message: BusMessage): void;
  /** The number of messages delivered to sockets so far. */
  delivered(): number;
};

type Topic = { readonly subscribers: Set<Subscriber>; readonly presence: Presence; loaded: Promise<void> | null };
type Registry = { readonly topics: Map<string, Topic>; delivered: number };

/** Creates the registry of topics. `busOf` returns null when this is the only process. */
export function createTopics(busOf: () => Bus | null): Topics {
  const registry: Registry = { topics: new Map(), delivered: 0 };
  const receive = (message: BusMessage): void =>
    message.kind === 'broadcast' ? deliverBroadcast(registry, message) : deliverPresence(registry, message);
  return {
    join: (key, subscriber) => void topicOf(registry, key).subscribers.add(subscriber),
    leave: (key, subscriber) => leaveTopic(registry, key, subscriber),
    broadcast(topic, broadcast, except) {
      deliverBroadcast(registry, { topic, broadcast }, except);
      busOf()?.publish({ kind: 'broadcast', topic, broadcast });
    },
    changePresence(topic, diff) {
      deliverPresence(registry, { topic, diff });
      busOf()?.publish({ kind: 'presence', topic, diff });
    },
    async presenceState(key) {
      const topic = topicOf(registry, key);
      // The first member here learns of the members at other processes; later diffs keep the state current.
      topic.loaded ??= loadPresence(busOf(), key, topic.presence);
      await topic.loaded;
      return stateOf(topic.presence);
    },
    receive,
    delivered: () => registry.delivered,
  };
}

const textOf = ({ name, isPrivate }: TopicKey): string => `${isPrivate ? 'private' : 'public'}:${name}`;

function topicOf(registry: Registry, key: TopicKey): Topic {
  const text = textOf(key);
  const existing = registry.topics.get(text);
  if (existing) return existing;
  const topic: Topic = { subscribers: new Set(), presence: new Map(), loaded: null };
  registry.topics.set(text, topic);
  return topic;
}

function leaveTopic(registry: Registry, key: TopicKey, subscriber: Subscriber): void {
  const topic = registry.topics.get(textOf(key));
  if (!topic) return;
  topic.subscribers.delete(subscriber);
  if (topic.subscribers.size === 0) registry.topics.delete(textOf(key));
}

function deliverBroadcast(
  registry: Registry,
  { topic: key, broadcast }: { topic: TopicKey; broadcast: Broadcast },
  except?: Subscriber,
): void {
  const topic = registry.topics.get(textOf(key));
  if (!topic) return;
  const id = broadcast.meta?.['id'];
  const wants = (one: Subscriber): boolean =>
    one !== except && one.readsBroadcast && !(typeof id === 'string' && one.replayed?.has(id));
  deliver(registry, topic, wants, (serializer) => encodeBroadcast(serializer, `realtime:${key.name}`, broadcast));
}

function deliverPresence(registry: Registry, { topic: key, diff }: { topic: TopicKey; diff: PresenceDiff }): void {
  const topic = registry.topics.get(textOf(key));
  const payload = topic ? applyPresence(topic.presence, diff) : null;
  if (!topic || payload === null) return;
  const frame = { joinRef: null, ref: null, topic: `realtime:${key.name}`, event: 'presence_diff', payload };
  deliver(
    registry,
    topic,
    (one) => one.readsPresence,
    (serializer) => encodeText(serializer, frame),
  );
}

/** Encodes a message once per serializer, however many subscribers get it. */
function deliver(
  registry: Registry,
  topic: Topic,
  wants: (subscriber: Subscriber) => boolean,
  encode: (serializer: Serializer) => string | Uint8Array | null,
): void {
  const encoded = new Map<Serializer, string | Uint8Array | null>();
  for (const subscriber of topic.subscribers) {
    if (!wants(subscriber)) continue;
    let data = encoded.get(subscriber.serializer);
    if (data === undefined) {
      data = encode(subscriber.serializer);
      encoded.set(subscriber.serializer, data);
    }
    if (data === null) continue;
    registry.delivered += 1;
    subscriber.send(data);
  }
}

async function loadPresence(bus: Bus | null, key: TopicKey, presence: Presence): Promise<void> {
  if (bus) applyPresence(presence, { joins: await bus.presenceOf(key), leaves: [] });
}
