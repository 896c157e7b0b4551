import { useSyncExternalStore } from 'react';

/** The booking page shows one room after the other, or all of them on one timeline. */
export type View = 'one' | 'all';

const KEY = 'booking-view';
const listeners = new Set<() => void>();
/** What this page shows when storage is off. */
let chosen: View | null = null;

function read(): View {
  if (chosen !== null) return chosen;
  try {
    return localStorage.getItem(KEY) === 'all' ? 'all' : 'one';
  } catch {
    return 'one';
  }
}

function save(view: View): void {
  chosen = view;
  try {
    localStorage.setItem(KEY, view);
  } catch {
    // It is chosen again on the next visit.
  }
  for (const listener of listeners) listener();
}

function listen(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Returns the view that this device showed last, and a function that changes it. Pre-rendered pages show one room. */
export function useView(): readonly [View, (view: View) => void] {
  return [useSyncExternalStore(listen, read, () => 'one'), save];
}
