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
    const [first, second] = [openTab(), openTab()];
    first.source.follow(topics(A));
    await until(() => first.live.get(A));
    second.source.follow(topics(A, B));
    await until(() => second.live.get(A) && second.live.get(B));
    expect(first.connected?.follows).toEqual([A, B]);
    expect(second.connected).toBeNull();
    first.connected?.events.onChange(A);
    first.connected?.events.onChange(B);
    await until(() => second.changes.join() === `${A},${B}`);
    expect(first.changes).toEqual([A]);
    closeTabs(second, first);
  });

  test('drops a topic when no tab wants it any more, and is closed with the last', async () => {
    const [first, second] = [openTab(), openTab()];
    first.source.follow(topics(A));
    await until(() => first.live.get(A));
    second.source.follow(topics(B));
    await until(() => second.live.get(B));
    second.source.follow(topics());
    await until(() => first.connected?.follows.join() === A);
    first.source.follow(topics());
    expect(first.connected?.follows).toEqual([]);
    await vi.waitFor(async () => expect((await navigator.locks.query()).held).toEqual([]));
  });

  test('moves to another tab when its own needs nothing any more', async () => {
    const [first, second] = [openTab(), openTab()];
    first.source.follow(topics(A));
    await until(() => first.live.get(A));
    second.source.follow(topics(B));
    await until(() => second.live.get(B));
    first.source.follow(topics());
    await until(() => second.connected?.follows.join() === B && second.live.get(B));
    expect(first.connected?.follows).toEqual([]);
    closeTabs(second);
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
    const [first, second] = [openTab(), openTab()];
    first.source.follow(topics(A));
    await until(() => first.live.get(A));
    second.source.follow(topics(A));
    await until(() => second.live.get(A));
    first.connected?.events.onState(A, false);
    await until(() => second.live.get(A) === false);
    expect(first.live.get(A)).toBe(false);
    closeTabs(second, first);
  });
});
