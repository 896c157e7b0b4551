import { type ReactNode, useCallback, useLayoutEffect, useRef, useState } from 'react';

/** Returns a stable function that calls the latest `run`, so that a memoised component only renders again when its content changes. */
export function useStable<Input extends unknown[]>(run: (...input: Input) => void): (...input: Input) => void {
  const newest = useRef(run);
  useLayoutEffect(() => {
    newest.current = run;
  });
  return useCallback((...input: Input) => newest.current(...input), []);
}

/**
 * Returns `value`. While `frozen` is true, returns the last value from before that, so that data stays on the screen as it was confirmed
 * while it is being sent. The value must keep its identity until it changes, like a prop or the data of a query. It must not be a function.
 */
export function useFrozen<T>(value: T, frozen: boolean): T {
  const [last, setLast] = useState(value);
  if (!frozen && last !== value) setLast(value);
  return frozen ? last : value;
}

/**
 * Renders its children. While `on` is true, keeps rendering them as they were before, so that the customer still sees what they confirmed
 * while it is being paid or changed.
 */
export function Frozen({ on, children }: { on: boolean; children: ReactNode }): ReactNode {
  return useFrozen(children, on);
}
