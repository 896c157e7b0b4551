import { type QueryClient, QueryObserver } from '@tanstack/react-query';

/** A kind of query: `all` is the key that matches every query of the kind. */
type Kinds = Readonly<Record<string, { readonly all: readonly unknown[] }>>;

/** Watched queries, one of each kind. */
export type WatchedReads = {
  /** Returns the kinds that were read again since the last call, sorted. */
  take(): string[];
  /** Answers pending reads, and from now on every read at once. */
  answer(): void;
  stop(): void;
};

/** Mounts one query of each kind. Reading it again waits until `answer` is called, as on a slow connection. */
export async function watchReads(client: QueryClient, kinds: Kinds): Promise<WatchedReads> {
  const read = new Set<string>();
  let waiting: (() => void)[] | null = null;
  const stops = Object.entries(kinds).map(([kind, { all }]) =>
    new QueryObserver(client, {
      queryKey: [...all, 'watched'],
      // Another test may leave the window hidden or offline.
      networkMode: 'always',
      queryFn: () => {
        read.add(kind);
        return new Promise<string>((resolve) => {
          if (waiting) waiting.push(() => resolve(kind));
          else resolve(kind);
        });
      },
    }).subscribe(() => {}),
  );
  await client.refetchQueries({ predicate: ({ queryKey }) => queryKey.at(-1) === 'watched' });
  read.clear();
  waiting = [];
  return {
    take: () => {
      const kindsRead = [...read].toSorted();
      read.clear();
      return kindsRead;
    },
    answer: () => {
      const held = waiting ?? [];
      waiting = null;
      for (const answer of held) answer();
    },
    stop: () => {
      for (const stop of stops) stop();
    },
  };
}
