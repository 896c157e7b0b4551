import { useEffect, useState } from 'react';

/** Whether the page has loaded, so that decoration can be fetched. */
export function useLoaded(): boolean {
  const [loaded, setLoaded] = useState(false);
  useEffect(() => {
    const done = (): void => setLoaded(true);
    if (document.readyState === 'complete') done();
    else window.addEventListener('load', done, { once: true });
    return () => window.removeEventListener('load', done);
  }, []);
  return loaded;
}
