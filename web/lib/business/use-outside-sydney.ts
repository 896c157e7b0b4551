import { useSyncExternalStore } from 'react';
import { isSydneyZone } from '#rules/studio-time.ts';

const never = (): (() => void) => () => {};
const isOutsideSydney = (): boolean => !isSydneyZone(Intl.DateTimeFormat().resolvedOptions().timeZone);

/** Whether the visitor's time zone differs from Sydney's. Pre-rendered pages assume that it does not. */
export function useOutsideSydney(): boolean {
  return useSyncExternalStore(never, isOutsideSydney, () => false);
}
