import { type ComponentType, type ReactNode, type RefObject, useEffect, useState } from 'react';

type Parts = {
  readonly RoomState: ComponentType<{ name: string }>;
  readonly TonightPrice: ComponentType;
  readonly NextFree: ComponentType<{ from: ReactNode }>;
};

/** How long after its first paint the page fetches what its first view does not need. */
const AFTER_MS = 2_000;

/**
 * Fetches what says which rooms are free: it needs the client, which is large. `list`: once it is nearly in view; without one, soon after the first view is
 * painted. Null until then, and if it cannot be fetched.
 */
export function useRoomsNow(list?: RefObject<HTMLElement | null>): Parts | null {
  const [parts, setParts] = useState<Parts | null>(null);
  useEffect(() => {
    const fetchParts = (): void => void import('./rooms-now.tsx').then(setParts, () => null);
    if (!list?.current) {
      const timer = setTimeout(fetchParts, AFTER_MS);
      return () => clearTimeout(timer);
    }
    const observer = new IntersectionObserver(
      (entries) => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
        observer.disconnect();
        fetchParts();
      },
      { rootMargin: '200px' },
    );
    observer.observe(list.current);
    return () => observer.disconnect();
  }, [list]);
  return parts;
}
