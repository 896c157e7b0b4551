import { type ComponentType, type ReactNode, useEffect, useState } from 'react';

type Parts = {
  readonly RoomState: ComponentType<{ name: string }>;
  readonly TonightPrice: ComponentType;
  readonly NextFree: ComponentType<{ from: ReactNode }>;
};

/** How long after the page has loaded the parts are fetched, where the browser cannot say that it is idle. */
const IDLE_MS = 1_000;

/** Fetches what follows the rooms once the page has loaded and the browser is idle: it needs the client, which is large. Null until then, and if it cannot be fetched. */
export function useRoomsNow(): Parts | null {
  const [parts, setParts] = useState<Parts | null>(null);
  useEffect(() => {
    let gone = false;
    const fetchParts = (): void =>
      void import('./rooms-now.tsx').then(
        (found) => (gone ? undefined : setParts(found)),
        () => null,
      );
    const whenIdle = (): void => {
      if ('requestIdleCallback' in window) requestIdleCallback(fetchParts, { timeout: 10 * IDLE_MS });
      else setTimeout(fetchParts, IDLE_MS);
    };
    if (document.readyState === 'complete') whenIdle();
    else window.addEventListener('load', whenIdle, { once: true });
    return () => {
      gone = true;
      window.removeEventListener('load', whenIdle);
    };
  }, []);
  return parts;
}
