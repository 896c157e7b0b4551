import { STILL_HERE } from './use-back-again.ts';

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Returns the URL of a pay or identity page, or null if it is not allowed. Allowed are pages of this site, any https page (the server chose
 * it), and the sandbox over http on the same host or this machine.
 */
export function outsideUrl(text: unknown, origin: string): string | null {
  if (typeof text !== 'string' || !URL.canParse(text, origin)) return null;
  const url = new URL(text, origin);
  const own = new URL(origin);
  if (url.username !== '' || url.password !== '') return null;
  if (url.protocol === 'https:' || url.origin === own.origin) return url.href;
  const near = url.hostname === own.hostname || (LOOPBACK.has(url.hostname) && LOOPBACK.has(own.hostname));
  return url.protocol === 'http:' && own.protocol === 'http:' && near ? url.href : null;
}

/** Milliseconds for which a page may still be shown after it was left. After that, the next page has failed to load or the visitor has stopped it. */
const LEAVING_MS = 15_000;
let stillHere: ReturnType<typeof setTimeout> | undefined;

/** Leaves for a pay or identity page. `replace`: Back skips the current page. Throws if the address is not allowed. */
export function leaveTo(text: unknown, method: 'assign' | 'replace' = 'assign'): void {
  const url = outsideUrl(text, window.location.origin);
  if (url === null) throw new Error('The next page could not be opened. Please try again.');
  window.location[method](url);
  clearTimeout(stillHere);
  stillHere = setTimeout(() => window.dispatchEvent(new Event(STILL_HERE)), LEAVING_MS);
  // The browser keeps the timer with a page in its back/forward cache. `useBackAgain` handles that return on its own.
  window.addEventListener('pageshow', () => clearTimeout(stillHere), { once: true });
}
