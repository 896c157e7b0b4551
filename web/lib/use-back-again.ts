import { useEffect, useEffectEvent } from 'react';

/** Name of the window event for a page that was left but is still shown. */
export const STILL_HERE = 'still-here';

/**
 * Calls `onBack` when this page was left for another site and is shown again: from the browser's back/forward cache, as after Back from a
 * pay page, or because the other page did not load. A button that was busy while the browser left must then work again.
 */
export function useBackAgain(onBack: () => void): void {
  const run = useEffectEvent(onBack);
  useEffect(() => {
    const shown = (event: PageTransitionEvent): void => {
      if (event.persisted) run();
    };
    const stayed = (): void => run();
    window.addEventListener('pageshow', shown);
    window.addEventListener(STILL_HERE, stayed);
    return () => {
      window.removeEventListener('pageshow', shown);
      window.removeEventListener(STILL_HERE, stayed);
    };
  }, []);
}
