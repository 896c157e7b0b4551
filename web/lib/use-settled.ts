import { useEffect, useState } from 'react';

/** Returns the value once it has been unchanged for `ms` milliseconds; null until then. */
export function useSettled<T>(value: T, ms: number): T | null {
  const [settled, setSettled] = useState<{ readonly value: T } | null>(null);
  useEffect(() => {
    const timer = setTimeout(() => setSettled({ value }), ms);
    return () => {
      clearTimeout(timer);
      setSettled(null);
    };
  }, [value, ms]);
  return settled === null ? null : settled.value;
}
