import type { RealtimeChannel, SupabaseClient } from '@supabase/supabase-js';
import type { LiveEvents, LiveTopic, Source } from './source.ts';

/** The parts of the client that are needed here. */
export type ChannelClient = Pick<SupabaseClient, 'channel' | 'removeChannel'> & {
  readonly realtime: Pick<SupabaseClient['realtime'], 'setAuth' | 'disconnect'>;
};

/** Follows topics over the client's connection, with one channel per topic. The client closes the connection when no channel is left. */
export function openChannels(client: ChannelClient, events: LiveEvents): Source {
  const open = new Map<LiveTopic, RealtimeChannel>();
  /** If a topic is joined again while its channel is being left, the client returns the old channel. Joining therefore waits for leaving. */
  const leaving = new Map<LiveTopic, Promise<unknown>>();
  let requested: ReadonlySet<LiveTopic> = new Set();

  function leave(topic: LiveTopic, channel: RealtimeChannel): void {
    open.delete(topic);
    events.onState(topic, false);
    // Leaving fails only if the connection is lost, and then the channel is lost too.
    leaving.set(
      topic,
      client.removeChannel(channel).catch(() => null),
    );
  }

  async function join(topic: LiveTopic): Promise<void> {
    await leaving.get(topic);
    if (open.has(topic) || !requested.has(topic)) return;
    const isPrivate = !topic.startsWith('studio:');
    const channel = client.channel(topic, { config: { private: isPrivate } });
    open.set(topic, channel);
    const isOpen = (): boolean => open.get(topic) === channel;
    channel.on('broadcast', { event: '*' }, () => isOpen() && events.onChange(topic));
    // Without setAuth, the client may send the first join before it knows the token.
    if (isPrivate) await client.realtime.setAuth();
    if (!isOpen()) return;
    channel.subscribe((status) => {
      if (!isOpen()) return;
      events.onState(topic, status === 'SUBSCRIBED');
      if (status === 'SUBSCRIBED') events.onChange(topic);
    });
  }

  function follow(topics: ReadonlySet<LiveTopic>): void {
    requested = topics;
    for (const [topic, channel] of open) if (!topics.has(topic)) leave(topic, channel);
    for (const topic of topics) if (!open.has(topic)) void join(topic);
  }

  async function reset(): Promise<void> {
    const before = [...open];
    // Disconnect first, so that leaving does not wait for answers on a dead connection.
    await client.realtime.disconnect();
    for (const [topic, channel] of before) if (open.get(topic) === channel) leave(topic, channel);
    follow(requested);
  }

  return { follow, reset: () => void reset() };
}
