import { useCallback, useLayoutEffect, useRef } from 'react';

/** Returns a function that stays the same and runs the newest `run`, so that a memoised component renders again only for what it shows. */
export function useStable<Input extends unknown[]>(run: (...input: Input) => void): (...input: Input) => void {
  const newest = useRef(run);
  useLayoutEffect(() => {
    newest.current = run;
  });
  return useCallback((...input: Input) => newest.current(...input), []);
}
