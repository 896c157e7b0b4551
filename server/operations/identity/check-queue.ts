import { Refusal } from '../refusal.ts';

/** Pictures wait here for the licence reader, which takes a core for seconds and reads few at once. */
export type CheckQueue = {
  /** Runs `work` when it is the account's turn. Throws `Refusal` at once when it cannot wait: `too_many_requests`, `provider_unavailable`. */
  run<T>(account: string, work: () => Promise<T>): Promise<T>;
};

/** What one picture may take at the reader, so what a waiting one is told to wait. */
const TURN_SECONDS = 15;

/**
 * A queue that is fair between accounts: each account has one check at a time, waiting or running, so those who wait take turns whatever
 * one of them sends. `atOnce`: how many the reader reads together; `waiting`: how many may wait besides.
 */
export function createCheckQueue({ atOnce, waiting }: { atOnce: number; waiting: number }): CheckQueue {
  const accounts = new Set<string>();
  const queue: (() => void)[] = [];
  let running = 0;

  function startNext(): void {
    if (running >= atOnce) return;
    const start = queue.shift();
    if (!start) return;
    running += 1;
    start();
  }

  return {
    async run(account, work) {
      if (accounts.has(account))
        throw new Refusal('too_many_requests', 'Your last photo is still being read. Please give it a moment.', {
          retryAfter: TURN_SECONDS,
        });
      if (queue.length >= waiting)
        throw new Refusal(
          'provider_unavailable',
          'Several IDs are being read right now. Please try again in a moment.',
          {
            retryAfter: TURN_SECONDS,
          },
        );
      accounts.add(account);
      try {
        const turn = new Promise<void>((resolve) => queue.push(resolve));
        startNext();
        await turn;
        try {
          return await work();
        } finally {
          running -= 1;
        }
      } finally {
        accounts.delete(account);
        startNext();
      }
    },
  };
}
