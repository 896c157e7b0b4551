/** The data of a booking that the page at the door keeps to work without a network, until the session ends or the user signs out. */
type Copied = { readonly booking: { readonly id: string; readonly end_time: string } };

const KEY = 'door';
const CACHE = 'door';

/** Stores the data that the page shows, in place of the previous copy. */
export function saveDoorCopy(copy: Copied): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(copy));
  } catch {
    // Storage is full or forbidden, so the page only works with a network.
  }
}

/** Reads the copy of a booking. Null if there is none. A copy whose session has ended is removed. */
export function readDoorCopy<T extends Copied>(bookingId: string, now: Date): T | null {
  dropEndedDoorCopy(now);
  const text = stored();
  // Cast: only saveDoorCopy writes this key.
  const copy = text === null ? null : (JSON.parse(text) as T);
  return copy?.booking.id === bookingId ? copy : null;
}

/** Returns the id of the booking whose copy is kept; null if there is none. A copy whose session has ended is removed. */
export function keptDoor(now: Date): string | null {
  dropEndedDoorCopy(now);
  const text = stored();
  return text === null ? null : (JSON.parse(text) as Copied).booking.id;
}

/** Removes a copy whose session has ended or that cannot be read. */
export function dropEndedDoorCopy(now: Date): void {
  const text = stored();
  if (text === null) return;
  try {
    const { booking } = JSON.parse(text) as Copied;
    if (now < new Date(booking.end_time)) return;
  } catch {
    // Another program wrote it, or it was truncated.
  }
  dropDoorCopy();
}

/** Removes the copy and the cached files of the page. */
export function dropDoorCopy(): void {
  localStorage.removeItem(KEY);
  if ('caches' in globalThis) void caches.delete(CACHE).catch(() => false);
}

function stored(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}
