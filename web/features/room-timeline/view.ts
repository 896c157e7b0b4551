import { useSyncExternalStore } from 'react';

/** The views of the booking page: one room at a time, or all rooms on one timeline. */
export type View = 'one' | 'all';

const KEY = 'booking-view';
const listeners = new Set<() => void>();
/** The view of this page if storage is not available. */
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
    // Without storage, the visitor has to choose again on the next visit.
  }
  for (const listener of listeners) listener();
}

function listen(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Returns the view that this device showed last, and a function that changes it. Pre-rendered pages show the view of one room. */
export function useView(): readonly [View, (view: View) => void] {
  return [useSyncExternalStore(listen, read, () => 'one'), save];
}
