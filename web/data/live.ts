import { type QueryClient, type QueryKey, useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useState } from 'react';
import { fetchClient } from './fetch-client.ts';
import { fetchSource } from './live/fetched.ts';
import type { LiveEvents, LiveTopic, OpenSource, Source } from './live/source.ts';
import { shareAmongTabs } from './live/tabs.ts';
import { watchWake } from './live/wake.ts';

/** Interval at which pages read again even while they receive changes, because a message may be lost. */
const FALLBACK_POLL_MS = 60_000;
/** The longest random delay before a page reads again after a change. Many pages receive the same change and must not all read at once. */
const SPREAD_MS = 150;
/** The shortest time between two reads of the same listener. */
const APART_MS = 400;
/** Time for which a topic is kept after its last listener left, because the next page may need it. */
const KEEP_MS = 1_000;

/** Returns the polling interval: long while the page receives changes, otherwise `milliseconds`. */
export const pollWhile = (live: boolean, milliseconds: number): number => (live ? FALLBACK_POLL_MS : milliseconds);

/** `refresh` reads again; `onState` runs when the connection of a topic has opened or closed. */
type Listener = { readonly refresh: (atOnce: boolean) => void; readonly onState: () => void };
const listeners = new Map<LiveTopic, Set<Listener>>();
/** The last listener of each topic that is kept without a listener. */
const lastListeners = new Map<LiveTopic, Listener>();
/** Topics whose changes the page currently receives. */
const joined = new Set<LiveTopic>();
let resting = false;
let offline = false;

/**
 * Listens to topics while the component is mounted. Queries under `queryKey` are read again after a change, and when the page returns from
 * being hidden, asleep or offline. Returns whether the page currently receives all changes; false while there is no topic.
 */
export function useLive(topics: LiveTopic | readonly LiveTopic[] | null, queryKey: QueryKey): boolean {
  const client = useQueryClient();
  const [live, setLive] = useState(false);
  const list = typeof topics === 'string' ? topics : (topics ?? []).toSorted().join(' ');
  const ask = useEffectEvent(() => void readAgain(client, queryKey));
  useEffect(() => {
    const requested = list.split(' ').filter(isTopic);
    if (requested.length === 0) return undefined;
    const refresh = limitRate(() => ask());
    const stop = listen(requested, {
      refresh: refresh.run,
      onState: () => setLive(!offline && requested.every((topic) => joined.has(topic))),
    });
    return () => {
      stop();
      refresh.stop();
      setLive(false);
    };
  }, [list]);
  return live;
}

/**
 * Reads queries again. If their first read is still running, its answer may be older than the change, and the query library does not repeat
 * it. Therefore they are read once more after it.
 */
async function readAgain(client: QueryClient, queryKey: QueryKey): Promise<void> {
  const isFirst = client.isFetching({ queryKey, predicate: ({ state }) => state.data === undefined }) > 0;
  await client.invalidateQueries({ queryKey });
  if (isFirst) await client.invalidateQueries({ queryKey });
}

const isTopic = (text: string): text is LiveTopic => text !== '';

/**
 * Limits how often `question` runs: soon or at once, but never twice within a short time. `stop` runs a pending question immediately,
 * because its data is out of date.
 */
function limitRate(question: () => void): { run: (atOnce: boolean) => void; stop: () => void } {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let last = 0;
  const ask = (): void => {
    timer = undefined;
    last = Date.now();
    question();
  };
  return {
    run(atOnce) {
      const wait = Math.max(atOnce ? 0 : Math.random() * SPREAD_MS, last + APART_MS - Date.now());
      if (wait <= 0) return ask();
      timer ??= setTimeout(ask, wait);
    },
    stop() {
      if (timer === undefined) return;
      clearTimeout(timer);
      ask();
    },
  };
}

function listen(topics: readonly LiveTopic[], listener: Listener): () => void {
  for (const topic of topics) {
    const others = listeners.get(topic);
    lastListeners.delete(topic);
    if (others) others.add(listener);
    else listeners.set(topic, new Set([listener]));
  }
  listener.onState();
  scheduleFollow(0);
  return () => {
    for (const topic of topics) {
      const others = listeners.get(topic);
      others?.delete(listener);
      if (others?.size !== 0) continue;
      listeners.delete(topic);
      lastListeners.set(topic, listener);
    }
    scheduleFollow(KEEP_MS);
  };
}

const events: LiveEvents = {
  onChange(topic) {
    for (const { refresh } of listeners.get(topic) ?? []) refresh(false);
    // Without this, the next page would show the outdated answer of the last one.
    if (!listeners.has(topic)) lastListeners.get(topic)?.refresh(true);
  },
  onState(topic, live) {
    if (live) joined.add(topic);
    else joined.delete(topic);
    for (const { onState } of listeners.get(topic) ?? []) onState();
  },
};
const openSource: OpenSource = (own) =>
  fetchSource(async () => {
    const [client, { openChannels }] = await Promise.all([fetchClient(), import('./live/channels.ts')]);
    return openChannels(client, own);
  });
let source: Source | null = null;
let following: ReturnType<typeof setTimeout> | undefined;

/** Follows the topics that the page listens to, after a delay. */
function scheduleFollow(ms: number): void {
  clearTimeout(following);
  following = setTimeout(() => {
    source ??= start();
    source.follow(resting ? new Set() : new Set(listeners.keys()));
  }, ms);
}

/** Runs when a page first listens, so that other pages do not open a connection. */
function start(): Source {
  offline = !navigator.onLine;
  const everybody = (): ReadonlySet<Listener> => new Set([...listeners.values()].flatMap((some) => [...some]));
  watchWake({
    rest() {
      resting = true;
      clearTimeout(following);
      source?.follow(new Set());
    },
    wake(slept) {
      [resting, offline] = [false, !navigator.onLine];
      scheduleFollow(0);
      if (slept) source?.reset();
      for (const { refresh, onState } of everybody()) {
        onState();
        refresh(true);
      }
    },
    offline() {
      offline = true;
      for (const { refresh, onState } of everybody()) {
        onState();
        // This read fails, so that the page shows that it is offline.
        refresh(true);
      }
    },
  });
  // Without locks and channels (an old browser, or a site without https), every tab opens its own connection.
  if (!('locks' in navigator) || typeof BroadcastChannel === 'undefined') return openSource(events);
  return shareAmongTabs({ open: openSource, events, locks: navigator.locks, line: new BroadcastChannel('live') });
}
