import type { Log } from '#server/http/caller.ts';

/** Starts the waiting time of one request; the returned function gives the milliseconds left, at least 50. */
export function startBudget(ms: number): () => number {
  const end = performance.now() + ms;
  return () => Math.max(50, end - performance.now());
}

/** Waits for `work`, at most `ms`, else returns `late`. The work continues; a later failure is logged. */
export async function within<T, L>(log: Log, ms: number, work: Promise<T>, late: L): Promise<T | L> {
  let timer: NodeJS.Timeout | undefined;
  let timedOut = false;
  const timeUp = new Promise<L>((resolve) => {
    timer = setTimeout(() => {
      timedOut = true;
      resolve(late);
    }, ms);
  });
  work.catch((error: unknown) => {
    if (timedOut) log.warn({ err: error }, 'work that outlasted its request failed');
  });
  try {
    return await Promise.race([work, timeUp]);
  } finally {
    clearTimeout(timer);
  }
}

/** Lets concurrent callers with the same key share one run of the work. */
export function createSharedWork<T>(): (key: string, work: () => Promise<T>) => Promise<T> {
  const inProgress = new Map<string, Promise<T>>();
  return (key, work) => {
    const running = inProgress.get(key);
    if (running) return running;
    const started = work().finally(() => inProgress.delete(key));
    inProgress.set(key, started);
    return started;
  };
}
