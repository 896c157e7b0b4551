import { useEffect, useRef, useState } from 'react';
import { isRefused } from './errors.ts';

/** Milliseconds between two attempts. This is well within the server's rate limit. */
const POLL_MS = 4_000;

/** The calls that return the address of a pay page. */
type PaidCall = 'create-payment' | 'extend-booking' | 'reschedule-booking';

/** Waits for the address of the pay page while the payment provider is slow. Repeats the request as long as the page is open. */
export function usePayPage(): {
  /** True until the provider has answered. The hours are held in the meantime. */
  readonly asking: boolean;
  /** Returns the address, or null if the user leaves the page first. Throws errors of `ask` that a retry cannot fix. */
  open(ask: () => Promise<{ url: string | null }>): Promise<string | null>;
} {
  const [asking, setAsking] = useState(false);
  const hasLeft = useRef(false);
  useEffect(() => {
    hasLeft.current = false;
    return () => {
      hasLeft.current = true;
    };
  }, []);

  async function open(ask: () => Promise<{ url: string | null }>): Promise<string | null> {
    let held = false;
    try {
      while (!hasLeft.current) {
        const answer = await ask().catch((error: unknown) => {
          // The hours are already held, so keep trying while the provider is unavailable.
          if (held && isRefused<PaidCall>(error, 'provider_unavailable')) return { url: null };
          throw error;
        });
        if (answer.url !== null) return answer.url;
        held = true;
        setAsking(true);
        await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      }
      return null;
    } finally {
      setAsking(false);
    }
  }

  return { asking, open };
}
