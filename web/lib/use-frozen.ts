import { useState } from 'react';

/**
 * Returns the value, and while `frozen` the last one from before: what is being sent is shown as it was confirmed. `value`: no function, and the same one in each render
 * until it changes, such as a prop or the data of a query.
 */
export function useFrozen<T>(value: T, frozen: boolean): T {
  const [last, setLast] = useState(value);
  if (!frozen && last !== value) setLast(value);
  return frozen ? last : value;
}
