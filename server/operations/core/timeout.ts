import type { Log } from '#server/http/caller.ts';

/** Starts the deadline of a request. The returned function gives the milliseconds left, at least 50. */
export function startDeadline(ms: number): () => number {
  const end = performance.now() + ms;
  return () => Math.max(50, end - performance.now());
}

/** Waits at most `ms` for `work`, then returns `fallback`. The work continues; a later failure is logged. */
export async function withTimeout<T, L>(log: Log, ms: number, work: Promise<T>, fallback: L): Promise<T | L> {
  let timer: NodeJS.Timeout | undefined;
  let timedOut = false;
  const timeout = new Promise<L>((resolve) => {
    timer = setTimeout(() => {
      timedOut = true;
      resolve(fallback);
    }, ms);
  });
  work.catch((error: unknown) => {
    if (timedOut)
      log.warn({ err: error }, 'work failed after its time limit, when its caller had already been answered');
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
