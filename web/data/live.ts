import type { RealtimeChannel } from '@supabase/supabase-js';
import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useState } from 'react';
import { supabase } from './client.ts';

/** What a page listens to: the hours of a studio (everybody), the events of an account (its owner), or all bookings (staff). */
export type LiveTopic = `studio:${string}` | `user:${string}` | 'staff';

/** Pages ask the server again this often although they listen: a message may be lost. */
const NET_MS = 60_000;

/** How often to ask the server: rarely while the page hears of changes, else every `milliseconds`. */
export const pollWhile = (live: boolean, milliseconds: number): number => (live ? NET_MS : milliseconds);

type Listener = { readonly onChange: () => void; readonly onState: (live: boolean) => void };
type Line = { readonly channel: RealtimeChannel; readonly listeners: Set<Listener>; live: boolean };

/** One channel per topic, however many parts of a page listen to it. */
const lines = new Map<LiveTopic, Line>();

/**
 * Listens to a topic while the component is shown. Queries under `queryKey` are asked again when something has changed, and when the
 * connection is back: changes in between were not heard. Returns whether the page hears of changes now; false without a connection or while `topic` is null.
 */
export function useLive(topic: LiveTopic | null, queryKey: QueryKey): boolean {
  const client = useQueryClient();
  const [live, setLive] = useState(false);
  const changed = useEffectEvent(() => void client.invalidateQueries({ queryKey }));
  useEffect(() => {
    if (topic === null) return;
    return listen(topic, { onChange: () => changed(), onState: setLive });
  }, [topic]);
  return topic !== null && live;
}

/** A browser that goes offline may keep its socket open for a while: what pages show is then no longer sure. */
function reportConnection(): void {
  for (const line of lines.values()) {
    setLive(line, navigator.onLine && line.channel.state === 'joined');
    for (const { onChange } of line.listeners) onChange();
  }
}
if (typeof window !== 'undefined') for (const name of ['online', 'offline']) addEventListener(name, reportConnection);

function setLive(line: Line, live: boolean): void {
  line.live = live;
  for (const { onState } of line.listeners) onState(live);
}

function listen(topic: LiveTopic, listener: Listener): () => void {
  const line = lines.get(topic) ?? open(topic);
  line.listeners.add(listener);
  listener.onState(line.live);
  return () => {
    line.listeners.delete(listener);
    listener.onState(false);
    if (line.listeners.size > 0) return;
    lines.delete(topic);
    void supabase.removeChannel(line.channel);
  };
}

function open(topic: LiveTopic): Line {
  const isPrivate = !topic.startsWith('studio:');
  const channel = supabase.channel(topic, { config: { private: isPrivate } });
  const line: Line = { channel, listeners: new Set(), live: false };
  lines.set(topic, line);
  const tell = (): void => {
    for (const { onChange } of line.listeners) onChange();
  };
  channel.on('broadcast', { event: '*' }, tell);
  // Without setAuth, the first join may go out before the token is known.
  const ready = isPrivate ? supabase.realtime.setAuth() : Promise.resolve();
  void ready.then(() => {
    if (lines.get(topic) !== line) return;
    channel.subscribe((status) => {
      setLive(line, status === 'SUBSCRIBED');
      if (line.live) tell();
    });
  });
  return line;
}
