import { useSyncExternalStore } from 'react';
import { isSydneyZone } from '#rules/studio-time.ts';

const never = (): (() => void) => () => {};
const isOutsideSydney = (): boolean => !isSydneyZone(Intl.DateTimeFormat().resolvedOptions().timeZone);

/** Whether the visitor's clock shows another time than Sydney's. What is printed at build time supposes it does not. */
export function useOutsideSydney(): boolean {
  return useSyncExternalStore(never, isOutsideSydney, () => false);
}
