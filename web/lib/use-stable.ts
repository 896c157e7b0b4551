import { useCallback, useLayoutEffect, useRef, useState } from 'react';

/** Returns a function that stays the same and runs the newest `run`, so that a memoised component renders again only for what it shows. */
export function useStable<Input extends unknown[]>(run: (...input: Input) => void): (...input: Input) => void {
  const newest = useRef(run);
  useLayoutEffect(() => {
    newest.current = run;
  });
  return useCallback((...input: Input) => newest.current(...input), []);
}

/**
 * Returns the value, and while `frozen` the last one from before: what is being sent is shown as it was confirmed. `value`: no function, and the same one in each render
 * until it changes, such as a prop or the data of a query.
 */
export function useFrozen<T>(value: T, frozen: boolean): T {
  const [last, setLast] = useState(value);
  if (!frozen && last !== value) setLast(value);
  return frozen ? last : value;
}
