/** Thrown if a part of the site could not be fetched, because there is no connection or the file is no longer on the server. */
export class PartMissing extends Error {
  override readonly name = 'PartMissing';
}

const PAUSES_MS = [400, 1_600];
const RELOAD_KEY = 'reloadedAt';
/** The shortest time between two automatic reloads, in milliseconds. */
const RELOAD_PAUSE_MS = 300_000;

/** Fetches a part of the site with three attempts in two seconds, or a single attempt while offline. Throws `PartMissing`. */
export async function fetchPart<T>(load: () => Promise<T>, pauses: readonly number[] = PAUSES_MS): Promise<T> {
  try {
    return await load();
  } catch (error) {
    const [pause, ...later] = pauses;
    if (pause === undefined || !navigator.onLine)
      throw new PartMissing('A part of this page could not be loaded.', { cause: error });
    await new Promise((done) => setTimeout(done, pause));
    return fetchPart(load, later);
  }
}

/** Reloads the page, at most once in five minutes. Returns false if it already did so, or if there is no session storage. */
export function reloadOnce(): boolean {
  try {
    const last = Number(sessionStorage.getItem(RELOAD_KEY) ?? 0);
    if (Date.now() - last < RELOAD_PAUSE_MS) return false;
    sessionStorage.setItem(RELOAD_KEY, String(Date.now()));
  } catch {
    return false; // Without storage, the page could reload endlessly.
  }
  window.location.reload();
  return true;
}
