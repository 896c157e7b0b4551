import { type Broadcast, encodeBroadcast, encodeText, type Serializer } from '../core/frames.ts';
import { applyPresence, compareRemote, getEntries, type Presence, type PresenceDiff, encodeState } from './presence.ts';
import type { BusMessage, Published, TopicKey } from './messages.ts';
import type { RemoteEntry } from './stored-presence.ts';

/** A channel as a topic sees it. */
export type Subscriber = {
  readonly serializer: Serializer;
  readsBroadcast: boolean;
  readsPresence: boolean;
  /** Ids of stored messages that the channel already received at its join. */
  readonly replayed: ReadonlySet<string> | null;
  send(data: string | Uint8Array): void;
};

/** Carries messages between the processes of one installation. */
export type Bus = {
  publish(message: Published): void;
  /** Returns the presence entries of other processes on this topic, or on all topics if it is null. */
  readPresence(topic: TopicKey | null): Promise<readonly RemoteEntry[]>;
};

export type Topics = {
  join(topic: TopicKey, subscriber: Subscriber): void;
  leave(topic: TopicKey, subscriber: Subscriber): void;
  /** Sends a broadcast to all processes. `except`: a subscriber of this process that does not get it. */
  broadcast(topic: TopicKey, broadcast: Broadcast, except?: Subscriber): void;
  /** Adds and removes presence entries, here and in all processes. */
  changePresence(topic: TopicKey, diff: PresenceDiff): void;
  /** Reads the presence of other processes again, because messages about it were lost. */
  reloadPresence(): Promise<void>;
  /** Reads the members of a topic at other processes, once. Later diffs keep them current. */
  loadPresence(topic: TopicKey): Promise<void>;
  /** Returns the presence state as JSON text. */
  presenceState(topic: TopicKey): string;
  /** Returns the number of presence keys of the topic, including `key`. */
  presenceKeys(topic: TopicKey, key: string): number;
  /** Delivers a message from another process. */
  receive(message: BusMessage): void;
  /** Returns the number of messages delivered to sockets so far. */
  delivered(): number;
};

type Topic = {
  readonly key: TopicKey;
  readonly subscribers: Set<Subscriber>;
  readonly presence: Presence;
  loaded: Promise<void> | null;
};
type Registry = {
  readonly topics: Map<string, Topic>;
  delivered: number;
  /** For each read of presence in progress, the refs that have joined or left since it began. */
  readonly reads: Set<Set<string>>;
};

/** Creates the registry of topics. `getBus` returns null if this is the only process. */
export function createTopics(getBus: () => Bus | null): Topics {
  const registry: Registry = { topics: new Map(), delivered: 0, reads: new Set() };
  const receive = (message: BusMessage): void => {
    if (message.kind === 'broadcast') return deliverBroadcast(registry, message);
    if (message.kind === 'presence') return deliverPresence(registry, message);
    endProcess(registry, message.process);
  };
  return {
    join: (key, subscriber) => void getTopic(registry, key).subscribers.add(subscriber),
    leave: (key, subscriber) => leaveTopic(registry, key, subscriber),
    broadcast(topic, broadcast, except) {
      deliverBroadcast(registry, { topic, broadcast }, except);
      getBus()?.publish({ kind: 'broadcast', topic, broadcast });
    },
    changePresence(topic, diff) {
      deliverPresence(registry, { topic, diff });
      getBus()?.publish({ kind: 'presence', topic, diff });
    },
    reloadPresence: () => reloadPresence(registry, getBus()),
    async loadPresence(key) {
      const topic = getTopic(registry, key);
      // The first member here makes this process read the members at other processes. Later diffs keep the state current.
      topic.loaded ??= loadTopic(registry, getBus(), topic).catch((error: unknown) => {
        topic.loaded = null;
        throw error;
      });
      await topic.loaded;
    },
    presenceState: (key) => encodeState(getTopic(registry, key).presence),
    presenceKeys(key, own) {
      const { presence } = getTopic(registry, key);
      return presence.size + (presence.has(own) ? 0 : 1);
    },
    receive,
    delivered: () => registry.delivered,
  };
}

const toText = ({ name, isPrivate }: TopicKey): string => `${isPrivate ? 'private' : 'public'}:${name}`;

function getTopic(registry: Registry, key: TopicKey): Topic {
  const text = toText(key);
  const existing = registry.topics.get(text);
  if (existing) return existing;
  const topic: Topic = { key, subscribers: new Set(), presence: new Map(), loaded: null };
  registry.topics.set(text, topic);
  return topic;
}

function leaveTopic(registry: Registry, key: TopicKey, subscriber: Subscriber): void {
  const topic = registry.topics.get(toText(key));
  if (!topic) return;
  topic.subscribers.delete(subscriber);
  if (topic.subscribers.size === 0) registry.topics.delete(toText(key));
}

function deliverBroadcast(
  registry: Registry,
  { topic: key, broadcast }: { topic: TopicKey; broadcast: Broadcast },
  except?: Subscriber,
): void {
  const topic = registry.topics.get(toText(key));
  if (!topic) return;
  const id = broadcast.meta?.['id'];
  const wants = (subscriber: Subscriber): boolean =>
    subscriber !== except && subscriber.readsBroadcast && !(typeof id === 'string' && subscriber.replayed?.has(id));
  deliver(registry, topic, wants, (serializer) => encodeBroadcast(serializer, `realtime:${key.name}`, broadcast));
}

function deliverPresence(registry: Registry, { topic: key, diff }: { topic: TopicKey; diff: PresenceDiff }): void {
  for (const changed of registry.reads) for (const { ref } of [...diff.joins, ...diff.leaves]) changed.add(ref);
  const topic = registry.topics.get(toText(key));
  const payload = topic ? applyPresence(topic.presence, diff) : null;
  if (!topic || payload === null) return;
  const frame = { joinRef: null, ref: null, topic: `realtime:${key.name}`, event: 'presence_diff', payload };
  deliver(
    registry,
    topic,
    (subscriber) => subscriber.readsPresence,
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

/** Removes the presence of a process that has ended from every topic. */
function endProcess(registry: Registry, process: string): void {
  for (const changed of registry.reads) changed.add(process);
  for (const topic of registry.topics.values()) {
    const leaves = getEntries(topic.presence).filter((entry) => entry.process === process);
    if (leaves.length > 0) deliverPresence(registry, { topic: topic.key, diff: { joins: [], leaves } });
  }
}

/** Loads the presence of a topic at other processes. No client has the state of this topic yet, so no diff is sent. */
async function loadTopic(registry: Registry, bus: Bus | null, topic: Topic): Promise<void> {
  await readRemote(registry, bus, topic.key, (stored, changed) => {
    const entries = stored.map(({ entry }) => entry);
    applyPresence(topic.presence, compareRemote(topic.presence, entries, changed));
  });
}

async function reloadPresence(registry: Registry, bus: Bus | null): Promise<void> {
  await readRemote(registry, bus, null, (stored, changed) => {
    const byTopic = Map.groupBy(stored, (remote) => toText(remote.topic));
    for (const [text, topic] of registry.topics) {
      const entries = (byTopic.get(text) ?? []).map(({ entry }) => entry);
      if (topic.loaded)
        deliverPresence(registry, { topic: topic.key, diff: compareRemote(topic.presence, entries, changed) });
    }
  });
}

/**
 * Reads the presence that other processes have stored, on all topics if `key` is null. `changed` contains the refs and processes that
 * changed during the read.
 */
async function readRemote(
  registry: Registry,
  bus: Bus | null,
  key: TopicKey | null,
  apply: (stored: readonly RemoteEntry[], changed: ReadonlySet<string>) => void,
): Promise<void> {
  if (!bus) return;
  const changed = new Set<string>();
  registry.reads.add(changed);
  try {
    apply(await bus.readPresence(key), changed);
  } finally {
    registry.reads.delete(changed);
  }
}
