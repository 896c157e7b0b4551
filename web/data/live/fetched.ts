import type { LiveTopic, Source } from './source.ts';

/** Returns a source that fetches the actual one when a topic is first followed. After a failure, the next call tries again. */
export function fetchSource(fetch: () => Promise<Source>): Source {
  let requested: ReadonlySet<LiveTopic> = new Set();
  let fetched: Source | null = null;
  let fetching = false;

  async function begin(): Promise<void> {
    fetching = true;
    try {
      fetched = await fetch();
      fetched.follow(requested);
    } catch {
      // If it fails, pages still poll the server every few seconds.
    } finally {
      fetching = false;
    }
  }
  return {
    follow(topics) {
      requested = topics;
      if (fetched !== null) fetched.follow(topics);
      else if (topics.size > 0 && !fetching) void begin();
    },
    reset: () => fetched?.reset(),
  };
}
