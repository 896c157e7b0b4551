/** What the page at the door keeps of a booking to work without a network: until the session ends or somebody signs out. */
type Copied = { readonly booking: { readonly id: string; readonly end_time: string } };

const KEY = 'door';
const CACHE = 'door';

/** Keeps what the page shows, instead of what it kept before. */
export function saveDoorCopy(copy: Copied): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(copy));
  } catch {
    // A full or forbidden storage: the page works with a network only.
  }
}

/** Reads what is kept of a booking; null when there is nothing, and after its session, which removes it. */
export function readDoorCopy<T extends Copied>(bookingId: string, now: Date): T | null {
  dropEndedDoorCopy(now);
  const text = stored();
  // Only saveDoorCopy writes this key.
  const copy = text === null ? null : (JSON.parse(text) as T);
  return copy?.booking.id === bookingId ? copy : null;
}

/** The booking that is kept; null when there is none, and after its session, which removes it. */
export function keptDoor(now: Date): string | null {
  dropEndedDoorCopy(now);
  const text = stored();
  return text === null ? null : (JSON.parse(text) as Copied).booking.id;
}

/** Removes what is kept of a session that has ended, or that cannot be read. */
export function dropEndedDoorCopy(now: Date): void {
  const text = stored();
  if (text === null) return;
  try {
    const { booking } = JSON.parse(text) as Copied;
    if (now < new Date(booking.end_time)) return;
  } catch {
    // Not ours, or truncated.
  }
  dropDoorCopy();
}

/** Removes what is kept, with the files of the page. */
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
