/** Runs work for a key; concurrent callers with the same key share one run and its result. */
export type SingleFlight<T> = (key: string, work: () => Promise<T>) => Promise<T>;

export function createSingleFlight<T>(): SingleFlight<T> {
  const inProgress = new Map<string, Promise<T>>();
  return (key, work) => {
    const running = inProgress.get(key);
    if (running) return running;
    const started = work().finally(() => inProgress.delete(key));
    inProgress.set(key, started);
    return started;
  };
}
