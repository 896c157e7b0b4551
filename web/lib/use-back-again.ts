import { useEffect, useEffectEvent } from 'react';

/**
 * Runs when the browser shows this page again as it was left, without loading it (Back from a pay page):
 * what was under way then, a spinning button say, is not under way any more.
 */
export function useBackAgain(onBack: () => void): void {
  const run = useEffectEvent(onBack);
  useEffect(() => {
    const shown = (event: PageTransitionEvent): void => {
      if (event.persisted) run();
    };
    window.addEventListener('pageshow', shown);
    return () => window.removeEventListener('pageshow', shown);
  }, []);
}
