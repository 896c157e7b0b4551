import { useEffect, useState } from 'react';

/** Whether `since` has been true for `ms` milliseconds. */
export function useWaited(since: boolean, ms: number): boolean {
  const [over, setOver] = useState(false);
  useEffect(() => {
    if (!since) return;
    const timer = setTimeout(() => setOver(true), ms);
    return () => clearTimeout(timer);
  }, [since, ms]);
  return since && over;
}
