import { type ComponentType, type RefObject, useEffect, useState } from 'react';

type Parts = { readonly RoomState: ComponentType<{ name: string }>; readonly TonightPrice: ComponentType };

/**
 * Loads the code that subscribes to the current state of the rooms once their list is about to scroll into view. It is loaded late because
 * it needs the large client. Null until it has loaded, or if it cannot be loaded.
 */
export function useRoomsNow(list: RefObject<HTMLElement | null>): Parts | null {
  const [parts, setParts] = useState<Parts | null>(null);
  useEffect(() => {
    if (list.current === null) return undefined;
    const observer = new IntersectionObserver(
      (entries) => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
        observer.disconnect();
        import('./rooms-now.tsx').then(setParts, () => null);
      },
      { rootMargin: '200px' },
    );
    observer.observe(list.current);
    return () => observer.disconnect();
  }, [list]);
  return parts;
}
