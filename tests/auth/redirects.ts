import type { Answer } from './auth-app.ts';

/** Returns the address to which an answer redirects the browser. */
export const readLocation = (answer: Answer): URL => new URL(answer.headers.get('location') ?? '');

/** Returns the parameters in the query of the redirect. */
export const readQuery = (answer: Answer): Record<string, string> =>
  Object.fromEntries(readLocation(answer).searchParams);

/** Returns the parameters in the fragment of the redirect. */
export const readFragment = (answer: Answer): Record<string, string> =>
  Object.fromEntries(new URLSearchParams(readLocation(answer).hash.slice(1)));
