import { REALTIME_SUBSCRIBE_STATES, type RealtimeChannel } from '@supabase/supabase-js';
import { describe, expect, test, vi } from 'vitest';
import { type ChannelClient, openChannels } from './channels.ts';
import type { LiveTopic } from './source.ts';

const A: LiveTopic = 'studio:a';
const ME: LiveTopic = 'user:1';
const { SUBSCRIBED, CHANNEL_ERROR } = REALTIME_SUBSCRIBE_STATES;

type Joined = {
  topic: string;
  isPrivate: boolean;
  tell: () => void;
  report: (status: REALTIME_SUBSCRIBE_STATES) => void;
};

/** Creates a client that logs its calls. Leaving a channel takes until `left` is called. */
function fakeClient() {
  const log: string[] = [];
  const joined: Joined[] = [];
  const leaving: (() => void)[] = [];
  const client = {
    channel(topic: string, { config }: { config: { private: boolean } }) {
      const channel = {
        topic,
        on(_kind: string, _filter: object, tell: () => void) {
          Object.assign(channel, { tell });
          return channel;
        },
        subscribe(report: Joined['report']) {
          log.push(`join ${topic}`);
          joined.push({ topic, isPrivate: config.private, tell: () => Object(channel).tell(), report });
          return channel;
        },
      };
      return channel;
    },
    removeChannel: ({ topic }: RealtimeChannel) => {
      log.push(`leave ${topic}`);
      return new Promise<string>((done) => leaving.push(() => done('ok')));
    },
    realtime: {
      setAuth: () => Promise.resolve(void log.push('token')),
      disconnect: () => Promise.resolve(log.push('disconnect')),
    },
  };
  const events = { onChange: vi.fn(), onState: vi.fn() };
  // Cast: it has only the parts of a client that openChannels uses.
  const source = openChannels(client as unknown as ChannelClient, events);
  const settle = async (): Promise<void> => {
    for (const done of leaving.splice(0)) done();
    await new Promise((resolve) => setTimeout(resolve));
  };
  return { log, joined, events, source, settle };
}

describe('channels', () => {
  test('are joined once per topic; those of an account are private and wait for the token', async () => {
    const { source, log, joined, settle } = fakeClient();
    source.follow(new Set([A, ME]));
    source.follow(new Set([A, ME]));
    await settle();
    expect(log).toEqual([`join ${A}`, 'token', `join ${ME}`]);
    expect(joined.map(({ isPrivate }) => isPrivate)).toEqual([false, true]);
  });

  test('report events, and a change after each rejoin, because events in between are lost', async () => {
    const { source, joined, events, settle } = fakeClient();
    source.follow(new Set([A]));
    await settle();
    joined[0]?.report(SUBSCRIBED);
    joined[0]?.tell();
    joined[0]?.report(CHANNEL_ERROR);
    joined[0]?.report(SUBSCRIBED);
    expect(events.onState.mock.calls).toEqual([
      [A, true],
      [A, false],
      [A, true],
    ]);
    expect(events.onChange).toHaveBeenCalledTimes(3);
  });

  test('are left when nobody listens, and report nothing afterwards', async () => {
    const { source, joined, events, log, settle } = fakeClient();
    source.follow(new Set([A]));
    await settle();
    joined[0]?.report(SUBSCRIBED);
    source.follow(new Set());
    events.onState.mockClear();
    joined[0]?.report(SUBSCRIBED);
    joined[0]?.tell();
    expect(log.at(-1)).toBe(`leave ${A}`);
    expect(events.onState).not.toHaveBeenCalled();
    expect(events.onChange).toHaveBeenCalledTimes(1);
  });

  test('are joined again only after they were left', async () => {
    const { source, log, settle } = fakeClient();
    source.follow(new Set([A]));
    await settle();
    source.follow(new Set());
    source.follow(new Set([A]));
    await new Promise((resolve) => setTimeout(resolve));
    expect(log).toEqual([`join ${A}`, `leave ${A}`]);
    await settle();
    expect(log).toEqual([`join ${A}`, `leave ${A}`, `join ${A}`]);
  });

  test('are all joined again after a reset, on a new connection', async () => {
    const { source, log, settle } = fakeClient();
    source.follow(new Set([A]));
    await settle();
    source.reset();
    await settle();
    await settle();
    expect(log).toEqual([`join ${A}`, 'disconnect', `leave ${A}`, `join ${A}`]);
  });
});
