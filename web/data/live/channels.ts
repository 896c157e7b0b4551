import type { RealtimeChannel, SupabaseClient } from '@supabase/supabase-js';
import type { LiveEvents, LiveTopic, Source } from './source.ts';

/** What of the client is needed. */
export type ChannelClient = Pick<SupabaseClient, 'channel' | 'removeChannel'> & {
  readonly realtime: Pick<SupabaseClient['realtime'], 'setAuth' | 'disconnect'>;
};

/** Follows topics over the client's connection, with one channel per topic. The client closes the connection when no channel is left. */
export function openChannels(client: ChannelClient, events: LiveEvents): Source {
  const open = new Map<LiveTopic, RealtimeChannel>();
  /** The client returns a channel that is being left when the same topic is joined again, so joining waits. */
  const leaving = new Map<LiveTopic, Promise<unknown>>();
  let wanted: ReadonlySet<LiveTopic> = new Set();

  function leave(topic: LiveTopic, channel: RealtimeChannel): void {
    open.delete(topic);
    events.onState(topic, false);
    // Leaving fails only when the connection is lost, and the channel with it.
    leaving.set(
      topic,
      client.removeChannel(channel).catch(() => null),
    );
  }

  async function join(topic: LiveTopic): Promise<void> {
    await leaving.get(topic);
    if (open.has(topic) || !wanted.has(topic)) return;
    const isPrivate = !topic.startsWith('studio:');
    const channel = client.channel(topic, { config: { private: isPrivate } });
    open.set(topic, channel);
    const isOpen = (): boolean => open.get(topic) === channel;
    channel.on('broadcast', { event: '*' }, () => isOpen() && events.onChange(topic));
    // Without setAuth, the first join may go out before the token is known.
    if (isPrivate) await client.realtime.setAuth();
    if (!isOpen()) return;
    channel.subscribe((status) => {
      if (!isOpen()) return;
      events.onState(topic, status === 'SUBSCRIBED');
      if (status === 'SUBSCRIBED') events.onChange(topic);
    });
  }

  function follow(topics: ReadonlySet<LiveTopic>): void {
    wanted = topics;
    for (const [topic, channel] of open) if (!topics.has(topic)) leave(topic, channel);
    for (const topic of topics) if (!open.has(topic)) void join(topic);
  }

  async function reset(): Promise<void> {
    const before = [...open];
    // First, so that leaving does not wait for answers on a dead connection.
    await client.realtime.disconnect();
    for (const [topic, channel] of before) if (open.get(topic) === channel) leave(topic, channel);
    follow(wanted);
  }

  return { follow, reset: () => void reset() };
}
