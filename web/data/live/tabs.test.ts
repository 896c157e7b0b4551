import { afterEach, describe, expect, test, vi } from 'vitest';
import type { LiveEvents, LiveTopic, Source } from './source.ts';
import { shareAmongTabs } from './tabs.ts';

const A: LiveTopic = 'studio:a';
const B: LiveTopic = 'studio:b';
const topics = (...list: LiveTopic[]): ReadonlySet<LiveTopic> => new Set(list);

type Tab = {
  readonly source: Source;
  /** The topics that the connection of this tab follows; null if it has never connected. */
  connected: { events: LiveEvents; follows: readonly LiveTopic[] } | null;
  readonly changes: LiveTopic[];
  readonly live: Map<LiveTopic, boolean>;
  readonly line: BroadcastChannel;
};
const lines: BroadcastChannel[] = [];
afterEach(() => {
  for (const line of lines.splice(0)) line.close();
});

/** Opens a tab of a browser. Its locks and messages are real; its connection joins at once. */
function openTab(): Tab {
  const line = new BroadcastChannel('tabs-test');
  lines.push(line);
  const tab: Tab = {
    line,
    connected: null,
    changes: [],
    live: new Map(),
    source: shareAmongTabs({
      open(events) {
        tab.connected = { events, follows: [] };
        return {
          reset: vi.fn(),
          follow(requested) {
            const before = tab.connected?.follows ?? [];
            tab.connected = { events, follows: [...requested].toSorted() };
            for (const topic of before) if (!requested.has(topic)) events.onState(topic, false);
            for (const topic of requested) if (!before.includes(topic)) events.onState(topic, true);
          },
        };
      },
      events: {
        onChange: (topic) => void tab.changes.push(topic),
        onState: (topic, live) => void tab.live.set(topic, live),
      },
      locks: navigator.locks,
      line,
    }),
  };
  return tab;
}
/** Closes the tabs at the end of a test. The tab with the lock releases it. */
const closeTabs = (...tabs: readonly Tab[]): void => {
  for (const { source } of tabs) source.follow(topics());
};
const until = (check: () => unknown): Promise<void> => vi.waitFor(() => expect(check()).toBe(true), { timeout: 8_000 });

describe('the connection of a browser', () => {
  test('is opened by one tab, joins the topics of all tabs, and reaches all of them', async () => {
    const [one, two] = [openTab(), openTab()];
    one.source.follow(topics(A));
    await until(() => one.live.get(A));
    two.source.follow(topics(A, B));
    await until(() => two.live.get(A) && two.live.get(B));
    expect(one.connected?.follows).toEqual([A, B]);
    expect(two.connected).toBeNull();
    one.connected?.events.onChange(A);
    one.connected?.events.onChange(B);
    await until(() => two.changes.join() === `${A},${B}`);
    expect(one.changes).toEqual([A]);
    closeTabs(two, one);
  });

  test('drops a topic when no tab wants it any more, and is closed with the last', async () => {
    const [one, two] = [openTab(), openTab()];
    one.source.follow(topics(A));
    await until(() => one.live.get(A));
    two.source.follow(topics(B));
    await until(() => two.live.get(B));
    two.source.follow(topics());
    await until(() => one.connected?.follows.join() === A);
    one.source.follow(topics());
    expect(one.connected?.follows).toEqual([]);
    await vi.waitFor(async () => expect((await navigator.locks.query()).held).toEqual([]));
  });

  test('moves to another tab when its own needs nothing any more', async () => {
    const [one, two] = [openTab(), openTab()];
    one.source.follow(topics(A));
    await until(() => one.live.get(A));
    two.source.follow(topics(B));
    await until(() => two.live.get(B));
    one.source.follow(topics());
    await until(() => two.connected?.follows.join() === B && two.live.get(B));
    expect(one.connected?.follows).toEqual([]);
    closeTabs(two);
  });

  test('is taken over from a tab that does not answer, because it is frozen', async () => {
    const [frozen, shown] = [openTab(), openTab()];
    frozen.source.follow(topics(A));
    await until(() => frozen.live.get(A));
    frozen.line.onmessage = null;
    shown.source.follow(topics(A));
    await until(() => shown.connected?.follows.join() === A && shown.live.get(A));
    // The frozen tab notices once it runs again, and closes its connection.
    await until(() => frozen.connected?.follows.length === 0);
    closeTabs(frozen, shown);
  });

  test('that is lost is reported to every tab', async () => {
    const [one, two] = [openTab(), openTab()];
    one.source.follow(topics(A));
    await until(() => one.live.get(A));
    two.source.follow(topics(A));
    await until(() => two.live.get(A));
    one.connected?.events.onState(A, false);
    await until(() => two.live.get(A) === false);
    expect(one.live.get(A)).toBe(false);
    closeTabs(two, one);
  });
});
