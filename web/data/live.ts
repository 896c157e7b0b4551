import { type QueryClient, type QueryKey, useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useState } from 'react';
import { fetchClient } from './fetch-client.ts';
import { fetchSource } from './live/fetched.ts';
import type { LiveEvents, LiveTopic, OpenSource, Source } from './live/source.ts';
import { shareAmongTabs } from './live/tabs.ts';
import { watchWake } from './live/wake.ts';

/** Pages ask the server again this often although they listen: a message may be lost. */
const FALLBACK_POLL_MS = 60_000;
/** Many pages hear of the same change: each waits up to this long, so that they do not ask at once. */
const SPREAD_MS = 150;
/** The shortest time between two questions of a page. */
const APART_MS = 400;
/** Topics that no part of the page needs any more are kept this long: the next page may need them. */
const KEEP_MS = 1_000;

/** How often to ask the server: rarely while the page receives changes, else every `milliseconds`. */
export const pollWhile = (live: boolean, milliseconds: number): number => (live ? FALLBACK_POLL_MS : milliseconds);

/** `refresh`: reads again; `onState`: the connection of a topic has opened or closed. */
type Listener = { readonly refresh: (atOnce: boolean) => void; readonly onState: () => void };
const listeners = new Map<LiveTopic, Set<Listener>>();
/** Who listened last to a topic that is kept without a listener. */
const lastListeners = new Map<LiveTopic, Listener>();
/** Topics whose changes the page receives now. */
const joined = new Set<LiveTopic>();
let resting = false;
let offline = false;

/**
 * Listens to topics while the component is shown. Queries under `queryKey` are asked again when something has changed, and when the page is back:
 * from being hidden, from sleep, or from being without a connection. Returns whether the page receives all changes now; false while there is no topic.
 */
export function useLive(topics: LiveTopic | readonly LiveTopic[] | null, queryKey: QueryKey): boolean {
  const client = useQueryClient();
  const [live, setLive] = useState(false);
  const list = typeof topics === 'string' ? topics : (topics ?? []).toSorted().join(' ');
  const ask = useEffectEvent(() => void readAgain(client, queryKey));
  useEffect(() => {
    const wanted = list.split(' ').filter(isTopic);
    if (wanted.length === 0) return undefined;
    const refresh = limitRate(() => ask());
    const stop = listen(wanted, {
      refresh: refresh.run,
      onState: () => setLive(!offline && wanted.every((topic) => joined.has(topic))),
    });
    return () => {
      stop();
      refresh.stop();
      setLive(false);
    };
  }, [list]);
  return live;
}

/** Reads queries again. A first read that is under way may be older than the change: it is not repeated by itself, so it is read once more after it. */
async function readAgain(client: QueryClient, queryKey: QueryKey): Promise<void> {
  const isFirst = client.isFetching({ queryKey, predicate: ({ state }) => state.data === undefined }) > 0;
  await client.invalidateQueries({ queryKey });
  if (isFirst) await client.invalidateQueries({ queryKey });
}

const isTopic = (text: string): text is LiveTopic => text !== '';

/** Runs a question soon, or at once, but never twice within a short time. `stop` runs one that still waits: what it asks about is out of date. */
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
    // The next page must not take for current what the last one read.
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

/** Follows what the page listens to. */
function scheduleFollow(ms: number): void {
  clearTimeout(following);
  following = setTimeout(() => {
    source ??= start();
    source.follow(resting ? new Set() : new Set(listeners.keys()));
  }, ms);
}

/** Runs when a page first listens, so other pages open nothing. */
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
        // Fails, so the page says what it cannot know.
        refresh(true);
      }
    },
  });
  // Without them (an old browser, or a site without https) every tab connects by itself.
  if (!('locks' in navigator) || typeof BroadcastChannel === 'undefined') return openSource(events);
  return shareAmongTabs({ open: openSource, events, locks: navigator.locks, line: new BroadcastChannel('live') });
}
