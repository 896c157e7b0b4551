import type { Log } from '#server/http/caller.ts';

/** Starts the time one request may spend on waiting; the answer tells how many milliseconds are left, at least a few. */
export function startBudget(ms: number): () => number {
  const end = performance.now() + ms;
  return () => Math.max(50, end - performance.now());
}

/** What `work` comes to within `ms`, else `late`. The work goes on either way; a failure after that goes to the log. */
export async function within<T, L>(log: Log, ms: number, work: Promise<T>, late: L): Promise<T | L> {
  let timer: NodeJS.Timeout | undefined;
  let answered = false;
  const timeUp = new Promise<L>((resolve) => {
    timer = setTimeout(() => {
      answered = true;
      resolve(late);
    }, ms);
  });
  work.catch((error: unknown) => {
    if (answered) log.warn({ err: error }, 'work that nobody waits for any more has failed');
  });
  try {
    return await Promise.race([work, timeUp]);
  } finally {
    clearTimeout(timer);
  }
}

/** Lets callers of the same key share one piece of work while it is under way. */
export function createSharedWork<T>(): (key: string, work: () => Promise<T>) => Promise<T> {
  const underWay = new Map<string, Promise<T>>();
  return (key, work) => {
    const running = underWay.get(key);
    if (running) return running;
    const started = work().finally(() => underWay.delete(key));
    underWay.set(key, started);
    return started;
  };
}
