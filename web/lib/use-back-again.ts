import { useEffect, useEffectEvent } from 'react';

/**
 * Runs when the browser shows this page again from its back/forward cache, as after Back from a pay page:
 * a button that was busy then must stop spinning.
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
