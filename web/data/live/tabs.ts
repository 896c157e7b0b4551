import type { LiveEvents, LiveTopic, OpenSource, Source } from './source.ts';

/**
 * Shares one connection among the tabs of a browser. The tab that holds a lock connects, follows the topics of all tabs, and passes on
 * their events. A tab that needs no topics, such as a hidden one, releases the lock, so that another tab takes over. A tab that gets no
 * answer takes the lock by force, because the tab that holds it may be frozen.
 */
const NAME = 'live-connection';
/** How long to wait for an answer from the connected tab. */
const ANSWER_MS = 1_500;
/** Interval at which a tab repeats which topics it needs. A tab that has not done so for the length of a lease is considered closed. */
const RENEW_MS = 15_000;
const LEASE_MS = 40_000;

type Message =
  | { readonly kind: 'want'; readonly tab: string; readonly topics: readonly LiveTopic[] }
  | { readonly kind: 'connected' }
  | { readonly kind: 'state'; readonly states: readonly (readonly [LiveTopic, boolean])[] }
  | { readonly kind: 'change'; readonly topic: LiveTopic };

type Parts = {
  readonly open: OpenSource;
  readonly events: LiveEvents;
  readonly locks: Pick<LockManager, 'request'>;
  readonly line: Pick<BroadcastChannel, 'postMessage'> & { onmessage: ((event: MessageEvent) => void) | null };
};
/** The state of the tab that is connected. */
type Connection = {
  readonly source: Source;
  readonly states: Map<LiveTopic, boolean>;
  /** The topics that other tabs need, and until when each demand is valid. */
  readonly demands: Map<string, { readonly topics: readonly LiveTopic[]; readonly until: number }>;
  readonly release: () => void;
};
type Tab = Parts & {
  readonly id: string;
  requested: ReadonlySet<LiveTopic>;
  connection: Connection | null;
  /** Aborts the wait for the lock. */
  waiting: AbortController | null;
  unanswered: ReturnType<typeof setTimeout> | undefined;
  renewal: ReturnType<typeof setInterval> | undefined;
};

/** Returns a source that shares the connection which `open` creates. */
export function shareAmongTabs(parts: Parts): Source {
  const tab: Tab = {
    ...parts,
    id: crypto.randomUUID(),
    requested: new Set(),
    connection: null,
    waiting: null,
    unanswered: undefined,
    renewal: undefined,
  };
  tab.line.onmessage = ({ data }: MessageEvent<Message>) => receive(tab, data);
  return {
    follow(topics) {
      const isLeaving = tab.requested.size > 0 && topics.size === 0;
      tab.requested = topics;
      if (isLeaving) leave(tab);
      else if (topics.size > 0) renew(tab);
    },
    reset: () => tab.connection?.source.reset(),
  };
}

/** Announces the topics that this tab needs. A connected tab follows them itself. */
function renew(tab: Tab): void {
  tab.renewal ??= setInterval(() => renew(tab), RENEW_MS);
  if (tab.connection) return followAll(tab, tab.connection);
  send(tab, { kind: 'want', tab: tab.id, topics: [...tab.requested] });
  waitForLock(tab);
  tab.unanswered ??= setTimeout(() => takeLock(tab), ANSWER_MS);
}

function leave(tab: Tab): void {
  clearInterval(tab.renewal);
  tab.renewal = undefined;
  stopWaiting(tab);
  const { connection } = tab;
  if (connection === null) return send(tab, { kind: 'want', tab: tab.id, topics: [] });
  disconnect(tab, connection);
  connection.release();
}

function waitForLock(tab: Tab): void {
  if (tab.waiting !== null) return;
  tab.waiting = new AbortController();
  request(tab, { signal: tab.waiting.signal });
}

function takeLock(tab: Tab): void {
  stopWaiting(tab);
  request(tab, { steal: true });
}

function stopWaiting(tab: Tab): void {
  clearTimeout(tab.unanswered);
  tab.unanswered = undefined;
  tab.waiting?.abort();
  tab.waiting = null;
}

/** Requests the lock and connects while it is held. */
function request(tab: Tab, options: LockOptions): void {
  let connection: Connection | null = null;
  const hold = (): Promise<void> | void => {
    stopWaiting(tab);
    if (tab.requested.size === 0 || tab.connection !== null) return undefined;
    return new Promise((release) => {
      connection = connect(tab, release);
    });
  };
  tab.locks.request(NAME, options, hold).catch(() => {
    // Either the wait was aborted, or another tab has taken the lock.
    if (connection === null || tab.connection !== connection) return;
    disconnect(tab, connection);
    if (tab.requested.size > 0) renew(tab);
  });
}

function connect(tab: Tab, release: () => void): Connection {
  const states = new Map<LiveTopic, boolean>();
  const source = tab.open({
    onChange(topic) {
      send(tab, { kind: 'change', topic });
      if (tab.requested.has(topic)) tab.events.onChange(topic);
    },
    onState(topic, live) {
      states.set(topic, live);
      send(tab, { kind: 'state', states: [[topic, live]] });
      if (tab.requested.has(topic)) tab.events.onState(topic, live);
    },
  });
  const connection: Connection = { source, states, demands: new Map(), release };
  tab.connection = connection;
  send(tab, { kind: 'connected' });
  followAll(tab, connection);
  return connection;
}

function disconnect(tab: Tab, { source, states }: Connection): void {
  tab.connection = null;
  send(tab, { kind: 'state', states: [...states.keys()].map((topic) => [topic, false] as const) });
  source.follow(new Set());
}

/** Follows the topics that all tabs need. */
function followAll(tab: Tab, { source, demands, states }: Connection): void {
  for (const [id, { until }] of demands) if (until < Date.now()) demands.delete(id);
  const all = new Set([...tab.requested, ...[...demands.values()].flatMap(({ topics }) => topics)]);
  for (const topic of states.keys()) if (!all.has(topic)) states.delete(topic);
  source.follow(all);
  for (const topic of tab.requested) if (states.has(topic)) tab.events.onState(topic, states.get(topic) === true);
}

function send(tab: Tab, message: Message): void {
  tab.line.postMessage(message);
}

function receive(tab: Tab, message: Message): void {
  const { connection, requested, events } = tab;
  if (connection !== null) {
    if (message.kind !== 'want') return;
    const until = Date.now() + LEASE_MS;
    if (message.topics.length === 0) connection.demands.delete(message.tab);
    else connection.demands.set(message.tab, { topics: message.topics, until });
    followAll(tab, connection);
    return send(tab, { kind: 'state', states: [...connection.states] });
  }
  if (requested.size === 0 || message.kind === 'want') return;
  clearTimeout(tab.unanswered);
  tab.unanswered = undefined;
  if (message.kind === 'change' && requested.has(message.topic)) events.onChange(message.topic);
  if (message.kind === 'state')
    for (const [topic, live] of message.states) if (requested.has(topic)) events.onState(topic, live);
  if (message.kind !== 'connected') return;
  for (const topic of requested) events.onState(topic, false);
  renew(tab);
}
