/** False while the build pre-renders pages, when there is no server. */
export const inBrowser = typeof window !== 'undefined';
export const apiUrl = inBrowser ? window.location.origin : 'http://localhost';
/** The API key that every caller sends, signed in or not. */
export const publicKey =
  (inBrowser ? document.querySelector<HTMLMetaElement>('meta[name="anon-key"]')?.content : null) ?? 'no key yet';
