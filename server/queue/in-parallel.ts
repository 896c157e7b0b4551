/**
 * Runs `work` for every item in order, at most `atOnce` at a time. Returns the number of started items. Stops starting items once `stop()`
 * is true. Rejects with the first error, after all running work has ended.
 */
export async function inParallel<T>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<unknown>,
  stop: () => boolean = () => false,
): Promise<number> {
  let next = 0;
  const failures: unknown[] = [];
  async function runNext(): Promise<void> {
    while (next < items.length && failures.length === 0 && !stop()) {
      const item = items[next] as T;
      next += 1;
      try {
        await work(item);
      } catch (error) {
        failures.push(error);
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, runNext));
  if (failures.length > 0) throw failures[0];
  return next;
}
