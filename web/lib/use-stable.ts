import { type ReactNode, useCallback, useLayoutEffect, useRef, useState } from 'react';

/** Returns a function that stays the same and runs the newest `run`, so that a memoised component renders again only for what it shows. */
export function useStable<Input extends unknown[]>(run: (...input: Input) => void): (...input: Input) => void {
  const newest = useRef(run);
  useLayoutEffect(() => {
    newest.current = run;
  });
  return useCallback((...input: Input) => newest.current(...input), []);
}

/**
 * Returns `value`, or while `frozen` the last value from before: what is being sent stays on the screen as it was confirmed. The value must keep its
 * identity until it changes, such as a prop or the data of a query, and must not be a function.
 */
export function useFrozen<T>(value: T, frozen: boolean): T {
  const [last, setLast] = useState(value);
  if (!frozen && last !== value) setLast(value);
  return frozen ? last : value;
}

/** Shows its children, and while `on` as they were before: what is being paid or changed stays as it was confirmed. */
export function Frozen({ on, children }: { on: boolean; children: ReactNode }): ReactNode {
  return useFrozen(children, on);
}
