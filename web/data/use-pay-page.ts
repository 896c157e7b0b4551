import { useEffect, useRef, useState } from 'react';
import { AppError } from './client.ts';

/** Between two questions, in milliseconds: well within what the server allows. */
const ASK_AGAIN_MS = 4_000;

/** Waits for the address of the pay page while the payment provider is slow: asks again by itself, as long as the page is open. */
export function usePayPage(): {
  /** The provider has not answered yet; the hours are held meanwhile. */
  readonly asking: boolean;
  /** The address once there is one; null when the page was left first. Throws what `ask` throws for good. */
  open(ask: () => Promise<{ url: string | null }>): Promise<string | null>;
} {
  const [asking, setAsking] = useState(false);
  const left = useRef(false);
  useEffect(() => {
    left.current = false;
    return () => {
      left.current = true;
    };
  }, []);

  async function open(ask: () => Promise<{ url: string | null }>): Promise<string | null> {
    let held = false;
    try {
      while (!left.current) {
        const answer = await ask().catch((error: unknown) => {
          // The hours are held already: that the provider is still away is no reason to give up.
          if (held && error instanceof AppError && error.code === 'provider_unavailable') return { url: null };
          throw error;
        });
        if (answer.url !== null) return answer.url;
        held = true;
        setAsking(true);
        await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_MS));
      }
      return null;
    } finally {
      setAsking(false);
    }
  }

  return { asking, open };
}
