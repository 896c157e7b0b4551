import { useSyncExternalStore } from 'react';

/** Whether a media query matches, updated on change; false during pre-rendering. The landing page has its own: what it shares with booking would load with it. */
export function useMedia(query: string): boolean {
  return useSyncExternalStore(
    (changed) => {
      const list = window.matchMedia(query);
      list.addEventListener('change', changed);
      return () => list.removeEventListener('change', changed);
    },
    () => window.matchMedia(query).matches,
    () => false,
  );
}
