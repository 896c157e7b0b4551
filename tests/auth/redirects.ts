import type { Answer } from './auth-app.ts';

/** Returns where an answer sends the browser. */
export const readLocation = (answer: Answer): URL => new URL(answer.headers.get('location') ?? '');

/** Returns the parameters in the query of that address. */
export const readQuery = (answer: Answer): Record<string, string> =>
  Object.fromEntries(readLocation(answer).searchParams);

/** Returns the parameters in the fragment of that address. */
export const readFragment = (answer: Answer): Record<string, string> =>
  Object.fromEntries(new URLSearchParams(readLocation(answer).hash.slice(1)));
