import { Refusal } from '../core/refusal.ts';
import type { CheckQueue } from '../core/services.ts';

/** Time that one photo may take, sent as `retryAfter`. */
const TURN_SECONDS = 15;
/** Number of photos that may wait. It limits the longest wait to 75 s. */
const WAITING_MAX = 4;

/**
 * Creates a queue that is fair between accounts: each account can have one check at a time, waiting or running. `atOnce`: number of checks
 * that run concurrently; `waiting`: number of checks that may wait in the meantime.
 */
export function createCheckQueue({ atOnce, waiting = WAITING_MAX }: { atOnce: number; waiting?: number }): CheckQueue {
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
        throw new Refusal('too_many_requests', 'We’re still reading your last photo. Please wait a moment.', {
          retryAfter: TURN_SECONDS,
        });
      if (queue.length >= waiting)
        throw new Refusal(
          'provider_unavailable',
          'We’re reading several IDs right now. Please try again in a moment.',
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
